/** Fetching what the worker runs on. */

import type { Files } from "./wire";

/** Names of the files; build.py writes them. All are compressed: a server of static files may not do it. */
const WORKER = "worker.js.gz";
const PYTHON = "pyodide.asm.wasm.gz";
const LIBRARY = "library.zip.gz";
const PACKAGES = "packages.bin.gz";

/** The files of a worker, and its program as a URL that needs no network. */
export interface Fetched {
  readonly files: Files;
  readonly program: string;
}

/** Fetch everything from `folder` (ends in `/`). `progress` hears how much of 1 is here. An error has a line for people. */
export async function fetchFiles(folder: string, progress: (part: number) => void): Promise<Fetched> {
  const counter = new Counter(progress);
  const [program, python, library, packages] = await Promise.all([
    read(folder, WORKER, counter, (response) => response.blob()),
    read(folder, PYTHON, counter, compiled),
    read(folder, LIBRARY, counter, (response) => response.arrayBuffer()),
    read(folder, PACKAGES, counter, (response) => response.arrayBuffer()),
  ]);
  const script = new Blob([program], { type: "text/javascript" });
  return { files: { python, library, packages }, program: URL.createObjectURL(script) };
}

/** Fetch a file and take what is in it; what browsers say about a damaged one is not for people. */
async function read<T>(folder: string, name: string, counter: Counter, take: (response: Response) => Promise<T>): Promise<T> {
  const response = await fetched(folder + name, counter);
  try {
    return await take(response);
  } catch (error) {
    throw new Error(`The playground cannot load ${name}: it is damaged, or something between this page and its server changes it`, {
      cause: error,
    });
  }
}

/** Compile while it comes. */
async function compiled(response: Response): Promise<WebAssembly.Module> {
  const typed = new Response(response.body, { headers: { "Content-Type": "application/wasm" } });
  return WebAssembly.compileStreaming(typed);
}

/** The file at `url`, uncompressed. */
async function fetched(url: string, counter: Counter): Promise<Response> {
  counter.expect(url);
  const response = await fetch(url).catch(() => undefined);
  if (response?.ok !== true || response.body === null) {
    const name = url.slice(url.lastIndexOf("/") + 1);
    throw new Error(`The playground cannot load ${name}${response === undefined ? "" : ` (status ${response.status})`}`);
  }
  counter.size(url, Number(response.headers.get("Content-Length") ?? 0));
  const [head, body] = await beginning(response.body.pipeThrough(counter.counting(url)));
  // A server that knows the ending .gz may send it as what it is inside, so that the browser has already unpacked it.
  const packed = head[0] === 0x1f && head[1] === 0x8b;
  return new Response(packed ? body.pipeThrough(new DecompressionStream("gzip")) : body);
}

/** The first piece of a stream, and the stream with it. */
async function beginning(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<[Uint8Array, ReadableStream<Uint8Array<ArrayBuffer>>]> {
  const reader = stream.getReader();
  const first = await reader.read();
  const head = first.value ?? new Uint8Array();
  const whole = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(head);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
  });
  return [head, whole];
}

/** How much of all files is here: by their sizes, or where a server does not tell them by their number. */
class Counter {
  private readonly sizes = new Map<string, number>();
  private readonly here = new Map<string, number>();

  constructor(private readonly progress: (part: number) => void) {}

  expect(url: string): void {
    this.sizes.set(url, 0);
    this.here.set(url, 0);
  }

  size(url: string, bytes: number): void {
    this.sizes.set(url, bytes);
  }

  counting(url: string): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    return new TransformStream({
      transform: (piece, controller) => {
        this.here.set(url, (this.here.get(url) ?? 0) + piece.length);
        this.progress(this.part());
        controller.enqueue(piece);
      },
    });
  }

  private part(): number {
    const parts = [...this.sizes].map(([url, size]) => (size > 0 ? Math.min((this.here.get(url) ?? 0) / size, 1) : 0));
    return parts.reduce((sum, each) => sum + each, 0) / parts.length;
  }
}
