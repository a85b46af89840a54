/**
 * A pack is many files in one: the length of a table as four bytes, the table (JSON: paths and sizes, in order), and the files
 * one after the other. build.py writes it.
 */

/** What is needed of Emscripten's file system. */
export interface FileSystem {
  mkdirTree(path: string): void;
  writeFile(path: string, data: Uint8Array, options: { canOwn: boolean }): void;
}

/** Write the files of `pack` below `folder`, without copying them. */
export function unpack(pack: ArrayBuffer, fs: FileSystem, folder: string): void {
  const length = new DataView(pack).getUint32(0, true);
  const table = JSON.parse(new TextDecoder().decode(new Uint8Array(pack, 4, length))) as [string, number][];
  const folders = new Set<string>();
  let at = 4 + length;
  for (const [name, size] of table) {
    const path = `${folder}/${name}`;
    const parent = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(parent)) {
      fs.mkdirTree(parent);
      folders.add(parent);
    }
    fs.writeFile(path, new Uint8Array(pack, at, size), { canOwn: true });
    at += size;
  }
}
