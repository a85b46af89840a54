/** The built site, served as any server of static files would do it: below a folder, without special headers. */

import fs from "node:fs";
import http from "node:http";
import type net from "node:net";
import path from "node:path";

/** The site is not at the root of its host, so a link that begins with a slash is found. */
const BELOW = "/below/tfdsl/";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".xml": "application/xml",
};

export interface Served {
  /** The address of the folder, with a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serve a folder at a free port of this machine. */
export async function serve(folder: string): Promise<Served> {
  const server = http.createServer((request, response) => {
    const file = fileOf(folder, new URL(request.url ?? "/", "http://any").pathname);
    if (file === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
      return;
    }
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    fs.createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${BELOW}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The file that an address means, if it is one of the folder. */
function fileOf(folder: string, address: string): string | undefined {
  if (!address.startsWith(BELOW)) {
    return undefined;
  }
  const name = decodeURIComponent(address.slice(BELOW.length));
  const file = path.join(folder, name === "" || name.endsWith("/") ? `${name}index.html` : name);
  return file.startsWith(folder + path.sep) && fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}
