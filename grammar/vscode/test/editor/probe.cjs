/** An extension that runs what a test sends, inside of VS Code; see vscode.ts. */

const fs = require("node:fs");
const http = require("node:http");
const vscode = require("vscode");

exports.activate = () => {
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece) => (body += piece));
    request.on("end", async () => {
      const { code, args } = JSON.parse(body);
      let answer;
      try {
        const value = await new Function(`return (${code})`)()(vscode, ...args);
        answer = { value: value === undefined ? null : value };
      } catch (error) {
        answer = { error: error instanceof Error ? error.stack : String(error) };
      }
      response.end(JSON.stringify(answer));
    });
  });
  const socket = process.env.TFDSL_PROBE;
  // A window that was loaded anew starts another one of these.
  fs.rmSync(socket, { force: true });
  server.listen(socket);
  return { dispose: () => server.close() };
};
