/** Target, version, profile and job: what the text is compiled for. */

import type { Catalogue, Compiled, Contents } from "../protocol";
import { byId, make } from "./dom";
import { targetOf, type Project } from "./project";

export type Choice = Pick<Project, "target" | "profile" | "job">;

export class Choosers {
  private readonly target = byId<HTMLSelectElement>("target");
  private readonly version = byId<HTMLSelectElement>("version");
  private readonly profile = byId<HTMLSelectElement>("profile");
  private readonly job = byId<HTMLSelectElement>("job");
  /** Of a target, the version that the text is compiled for when none is chosen here: it may name one itself. */
  private readonly own = new Map<string, string>();

  constructor(
    private readonly catalogue: Catalogue,
    changed: (choice: Partial<Project>) => void,
  ) {
    // Options are of one target alone.
    this.target.addEventListener("change", () => changed({ target: this.target.value, options: {} }));
    this.version.addEventListener("change", () => changed({ target: this.chosen() }));
    this.profile.addEventListener("change", () => changed({ profile: this.profile.value || null }));
    this.job.addEventListener("change", () => changed({ job: this.job.value || null }));
  }

  private chosen(): string {
    const { value: target } = this.target;
    return this.version.value === this.ownVersion(target) ? target : `${target}@${this.version.value}`;
  }

  private ownVersion(target: string): string {
    return this.own.get(target) ?? this.catalogue.targets.find(({ name }) => name === target)?.defaultVersion ?? "";
  }

  /** Another text begins. */
  forget(): void {
    this.own.clear();
  }

  /** What the text was compiled for. */
  compiled(project: Choice, { target, version }: Pick<Compiled, "target" | "version">): void {
    if (targetOf(project).version === null && this.ownVersion(target) !== version) {
      this.own.set(target, version);
      this.version.value = version;
    }
  }

  /** Show what is chosen, and what can be: of profiles and jobs what the text has. */
  show(project: Choice, contents: Contents | null): void {
    const { name, version } = targetOf(project);
    const target = this.catalogue.targets.find((each) => each.name === name);
    this.targets(name, contents?.targets ?? []);
    fill(
      this.version,
      (target?.versions ?? []).map((each) => ({ value: each, title: each })),
      version ?? this.ownVersion(name),
    );
    const profiles = contents?.profiles ?? [];
    const kept = project.profile !== null && !profiles.includes(project.profile) ? [project.profile] : [];
    fill(
      this.profile,
      [{ value: "", title: "none" }, ...[...profiles, ...kept].map((each) => ({ value: each, title: each }))],
      project.profile ?? "",
    );
    byId("profile-chooser").hidden = profiles.length + kept.length === 0;
    this.jobs(project.job, contents);
  }

  private targets(name: string, written: readonly string[]): void {
    const known = this.catalogue.targets.map((each) => ({ value: each.name, title: each.title }));
    const own = known.filter(({ value }) => written.includes(value));
    const groups =
      own.length > 0 && own.length < known.length
        ? { "In this file": own, "All targets": known.filter(({ value }) => !written.includes(value)) }
        : { "": known };
    fill(this.target, groups, name);
  }

  private jobs(job: string | null, contents: Contents | null): void {
    const names = contents?.jobs.map((each) => each.name) ?? [];
    const count = contents?.jobCount ?? names.length;
    const more = count > names.length ? `, the first ${names.length} are listed` : "";
    const kept = job !== null && !names.includes(job) ? [job] : [];
    const all = { value: "", title: `all ${count}${more}` };
    fill(this.job, [all, ...[...names, ...kept].map((each) => ({ value: each, title: each }))], job ?? "");
    byId("job-chooser").hidden = count < 2 && job === null;
  }
}

interface Choosable {
  readonly value: string;
  readonly title: string;
}

/** Fill a list without touching it if nothing has changed: it may be open. */
function fill(
  select: HTMLSelectElement,
  options: readonly Choosable[] | Readonly<Record<string, readonly Choosable[]>>,
  value: string,
): void {
  const text = JSON.stringify(options);
  if (select.dataset["options"] !== text) {
    select.dataset["options"] = text;
    const groups = Array.isArray(options) ? { "": options as readonly Choosable[] } : options;
    const made = Object.entries(groups as Readonly<Record<string, readonly Choosable[]>>).map(([label, items]) => {
      const entries = items.map((each) => make("option", { value: each.value }, each.title));
      return label === "" ? entries : [make("optgroup", { label }, ...entries)];
    });
    select.replaceChildren(...made.flat());
  }
  select.value = value;
}
