/** How many files one command line takes. */

/** Characters that Windows, which takes the fewest, has room for, less what else stands in the line. */
const ROOM = 30_000;

/** The first of the files that fit into one command line. */
export function fitting(files: readonly string[]): readonly string[] {
  let room = ROOM;
  const end = files.findIndex((file) => (room -= file.length + 3) < 0); // a space, and quotes
  return end < 0 ? files : files.slice(0, end);
}
