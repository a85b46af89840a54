/** Python in a worker, started on files that are already here: it never asks the network for anything. */

import { loadPyodide, type PyodideInterface } from "pyodide";
// The glue of Emscripten has no types of its own.
// @ts-expect-error see above
import createPyodideModule from "pyodide/pyodide.asm.mjs";

import { type FileSystem, unpack } from "./pack";
import type { Files } from "./wire";

/** tfdsl_playground/bridge.py. */
export interface Bridge {
  version(): string;
  update(input: string): string;
  work(milliseconds: number): boolean;
  checked(diagnostics: boolean): string;
  prepare(): void;
  compiled(): string;
  ask(question: string, about: string): string;
}

/** The most bytes that Python may have; with more it raises a MemoryError instead of taking the browser down. */
const MOST_MEMORY = 1 << 29;
const PAGE = 1 << 16;
/** Addresses that nobody asks: what Pyodide fetches from them is here. */
const NOWHERE = "https://playground.invalid/";
const LIBRARY = `${NOWHERE}library.zip`;

/** Start Python with `files`; nothing of the compiler is imported. */
export async function startPython(files: Files): Promise<PyodideInterface> {
  serve(files);
  return loadPyodide({
    indexURL: NOWHERE,
    stdLibURL: LIBRARY,
    lockFileContents: LOCK,
    packageBaseUrl: NOWHERE,
    createPyodideModule: createPyodideModule as never,
    env: { PYTHONDONTWRITEBYTECODE: "1", PYTHONHASHSEED: "0" },
    stdin: () => null,
    fsInit: (fs, { sitePackages }) => {
      unpack(files.packages, fs as unknown as FileSystem, sitePackages);
      return Promise.resolve();
    },
  });
}

/** Import what the worker calls. */
export function importBridge(python: PyodideInterface): Bridge {
  const { version, update, work, checked, prepare, compiled, ask } = python.pyimport(
    "tfdsl_playground.bridge",
  ) as unknown as Bridge;
  // Taken out once: each time a function is read from the module, another proxy is made, which stays.
  return { version, update, work, checked, prepare, compiled, ask };
}

/** No package is installed, so the list of those that there are is empty. */
const LOCK = JSON.stringify({
  info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" },
  packages: {},
});

/**
 * Answer what Pyodide fetches with `files`. It compiles what comes as a stream with the type of WebAssembly, which not every
 * server sends; here the module has been compiled before.
 */
function serve(files: Files): void {
  globalThis.fetch = (asked) => {
    const name = asked instanceof Request ? asked.url : String(asked);
    if (name === LIBRARY) {
      return Promise.resolve(new Response(files.library));
    }
    return name.endsWith("pyodide.asm.wasm")
      ? Promise.resolve(new Response(null))
      : Promise.reject(new Error(`the playground fetches nothing while it runs, and not ${name}`));
  };
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const instance = await WebAssembly.instantiate(files.python, imports);
    limit(instance.exports["memory"]);
    return { instance, module: files.python };
  };
}

/** Let `memory` not grow beyond {@link MOST_MEMORY}. */
function limit(memory: unknown): void {
  if (memory instanceof WebAssembly.Memory) {
    const grow = memory.grow.bind(memory);
    memory.grow = (pages) => {
      if (memory.buffer.byteLength + pages * PAGE > MOST_MEMORY) {
        throw new RangeError("Python has all the memory that it may have");
      }
      return grow(pages);
    };
  }
}
