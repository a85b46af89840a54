/** The request `tfdsl/graph`: a picture of a `.tfjob` text, and where each part of it is written. */

export const GRAPH = "tfdsl/graph";

export interface GraphParams {
  readonly textDocument: { readonly uri: string };
  /** As `-t` takes it; without it the job as it is written. */
  readonly target?: string;
  /** The only job that is wanted; all jobs of the text without it. */
  readonly job?: string;
}

/** A place in a text; lines and columns are counted from 0. */
export interface Place {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
}

/** `svg` is empty when there is no picture; `error` says why. `places`: for each job those of the parts of its picture. */
export interface Picture {
  readonly svg: string;
  readonly error: string;
  readonly places: readonly ReadonlyMap<string, Place>[];
}

/** The picture of an answer; what has another form than agreed on is left out. */
export function pictureOf(answer: unknown): Picture {
  const { svg, error, jobs } = isRecord(answer) ? answer : {};
  return {
    svg: typeof svg === "string" ? svg : "",
    error: typeof error === "string" ? error : "",
    places: Array.isArray(jobs) ? jobs.map((job) => placesOf(isRecord(job) ? job["places"] : undefined)) : [],
  };
}

function placesOf(places: unknown): Map<string, Place> {
  return new Map(
    Object.entries(isRecord(places) ? places : {}).flatMap(([path, value]) => {
      const place = placeOf(value);
      return place === undefined ? [] : [[path, place]];
    }),
  );
}

function placeOf(value: unknown): Place | undefined {
  const { uri, range } = isRecord(value) ? value : {};
  const start = isRecord(range) ? range["start"] : undefined;
  const { line, character } = isRecord(start) ? start : {};
  return typeof uri === "string" && Number.isInteger(line) && Number.isInteger(character)
    ? { uri, line: Number(line), character: Number(character) }
    : undefined;
}

/** Pages choose the colours by the system's theme, windows of VS Code by their own. */
export function coloured(svg: string, dark: boolean): string {
  return svg.replaceAll("@media(prefers-color-scheme:dark)", dark ? "@media all" : "@media not all");
}

/** What a click sends: the number of the job and the path of the part; nothing for any other message. */
export function clicked(message: unknown): { job: number; path: string } | undefined {
  const { job, path } = isRecord(message) ? message : {};
  return Number.isInteger(job) && typeof path === "string" ? { job: Number(job), path } : undefined;
}

/** The page around the picture, which is sent to it as a message. Nothing is loaded, and only its own script runs. */
export function page(nonce: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'">
<style>
  body { padding: 0; }
  #note { position: sticky; left: 0; padding: 8px 16px; }
  #note:empty { display: none; }
  #picture.stale { opacity: 0.5; }
  #picture svg { display: block; margin: 0 auto; max-width: none; }
  #picture svg.tfdsl-graph .paper { fill: transparent; }
  [data-path] { cursor: pointer; }
</style>
</head>
<body>
<div id="note" role="status"></div>
<div id="picture"></div>
<script nonce="${nonce}">
  const vscode = acquireVsCodeApi();
  const [note, picture] = ["note", "picture"].map((id) => document.getElementById(id));
  window.addEventListener("message", ({ data }) => {
    note.textContent = data.note;
    picture.classList.toggle("stale", data.svg === "");
    if (data.svg !== "") {
      picture.innerHTML = data.svg;
    }
  });
  picture.addEventListener("click", ({ target }) => {
    const part = target.closest("[data-path]");
    const job = target.closest("[data-graph]");
    if (part !== null && job !== null) {
      vscode.postMessage({ job: Number(job.dataset.graph), path: part.dataset.path });
    }
  });
  vscode.postMessage({ ready: true });
</script>
</body>
</html>
`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
