/** The command lines about a file: with what is chosen in the settings, as an editor's checks have it. */

export interface Chosen {
  /** The path of the file as the command shall see it. */
  readonly file: string;
  readonly targets: readonly string[];
  /** The only job that is meant; all jobs of the file without it. */
  readonly job?: string | undefined;
  readonly profile: string;
  /** A file of values for params. */
  readonly paramsFile: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
}

/** The words of a command of tfdsl, without the program. */
export function wordsOf(command: string, { file, targets, job, profile, paramsFile, params }: Chosen): string[] {
  const option = (name: string, value: string | undefined): string[] => (value ? [name, value] : []);
  return [
    ...[command, file],
    ...targets.flatMap((target) => ["-t", target]),
    ...option("--job", job),
    ...option("--profile", profile),
    ...option("--params", paramsFile),
    ...Object.entries(params).flatMap(([name, value]) => ["--set", `${name}=${value}`]),
  ];
}

/** Words as a POSIX shell takes them. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => (/^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
