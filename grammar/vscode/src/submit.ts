/** The command line that compiles a file and hands the output in. */

import type { Output } from "./compile";

export interface Submission {
  /** The path of the file as the shell shall see it. */
  readonly file: string;
  readonly target: string;
  readonly profile: string;
  /** A file of values for params. */
  readonly paramsFile?: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
  /** The folder for the files of targets whose output is not one manifest. */
  readonly folder: string;
}

/** For a POSIX shell; without any script among the outputs they are manifests for kubectl. */
export function submitCommand(asked: Submission, outputs: readonly Pick<Output, "name">[]): string {
  const compile = ["tfdsl", "compile", asked.file, "-t", asked.target];
  if (asked.profile !== "") {
    compile.push("--profile", asked.profile);
  }
  if (asked.paramsFile) {
    compile.push("--params", asked.paramsFile);
  }
  for (const [name, value] of Object.entries(asked.params)) {
    compile.push("--set", `${name}=${value}`);
  }
  const scripts = outputs.filter(({ name }) => /(?:^|\/)submit\.sh$/.test(name));
  if (scripts.length === 0) {
    return `${line(compile)} | kubectl create -f -`;
  }
  const runs = scripts.map(({ name }) => line(["bash", `${asked.folder}/${name}`]));
  return [line([...compile, "-o", asked.folder]), ...runs].join(" && ");
}

function line(words: readonly string[]): string {
  return words.map((word) => (/^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
