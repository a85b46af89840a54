/** What the page works on: the texts, and what is chosen for them. All of it is in a link. */

import type { Catalogue, Example, Input } from "../protocol";

/** Everything of an {@link Input} but its number. */
export type Project = Omit<Input, "revision">;

/** What is there when nothing is asked for: the first example, for the target that most people know. */
export const FIRST = { example: "mnist", target: "volcano" } as const;

/** The name of the target, and its version if one is chosen. */
export function targetOf(project: Pick<Project, "target">): { name: string; version: string | null } {
  const [name = "", version] = project.target.split("@");
  return { name, version: version ?? null };
}

/** An example for a target, or for the first that it is for. */
export function started(example: Example, target: string): Project {
  const { name } = targetOf({ target });
  const fits = example.targets.length === 0 || example.targets.includes(name);
  return {
    files: { ...example.files },
    main: example.main,
    target: fits ? target : (example.targets[0] ?? target),
    profile: null,
    params: {},
    options: {},
    job: null,
    strict: false,
  };
}

/** The example that the project is, untouched; else `null`. Targets and versions may differ. */
export function exampleOf(project: Project, catalogue: Catalogue): Example | null {
  const chosen = [project.params, project.options].some((each) => Object.keys(each).length > 0);
  if (chosen || project.profile !== null || project.job !== null || project.strict) {
    return null;
  }
  return (
    catalogue.examples.find(
      (example) =>
        example.main === project.main &&
        Object.keys(example.files).length === Object.keys(project.files).length &&
        Object.entries(example.files).every(([name, text]) => project.files[name] === text),
    ) ?? null
  );
}

/**
 * The project without what is left of an example that another text has taken the place of: files that are as some example has
 * them, and whose names no other file has in it.
 */
export function withoutLeftOvers(project: Project, catalogue: Catalogue): Project {
  const entries = Object.entries(project.files);
  const kept = entries.filter(([name, text]) => {
    const word = name.slice(name.lastIndexOf("/") + 1);
    const asShipped = name !== project.main && catalogue.examples.some(({ files }) => files[name] === text);
    return !asShipped || entries.some(([other, content]) => other !== name && content.includes(word));
  });
  return { ...project, files: Object.fromEntries(kept) };
}

/** A project as it can be used, whatever a link says: an unknown target is the first, a missing main file is another one. */
export function usable(project: Project, catalogue: Catalogue): Project {
  const { name, version } = targetOf(project);
  const target = catalogue.targets.find((each) => each.name === name) ?? catalogue.targets[0];
  if (target === undefined) {
    return project;
  }
  const known = version !== null && target.name === name && target.versions.includes(version);
  return {
    ...project,
    target: known ? `${name}@${version}` : target.name,
    options: target.name === name ? project.options : {},
  };
}
