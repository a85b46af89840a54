/** The output as a file, or all of it as an archive; and on the clipboard. */

import { strToU8, zipSync, type Zippable } from "fflate";
import type { Output } from "../protocol";
import { make } from "./dom";

/** Put a text on the clipboard; `false` if the browser refuses. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyOld(text);
  }
}

/** For pages that are not served securely, which have no clipboard. */
function copyOld(text: string): boolean {
  const box = make("textarea", { class: "for-readers", "aria-hidden": "true" });
  const before = document.activeElement;
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  (before as HTMLElement | null)?.focus();
  return done;
}

/** One file is saved as it is, several as an archive that keeps their folders and what can be executed. */
export function download(outputs: readonly Output[], target: string): void {
  const [first] = outputs;
  if (first === undefined) {
    return;
  }
  if (outputs.length === 1) {
    save(first.name.slice(first.name.lastIndexOf("/") + 1), strToU8(first.text));
    return;
  }
  const files: Zippable = {};
  for (const { name, text, executable } of outputs) {
    // Unix, and the mode in the upper half, as unzip reads it.
    files[name] = [strToU8(text), { os: 3, attrs: (executable ? 0o100755 : 0o100644) << 16 }];
  }
  save(`${target}.zip`, zipSync(files));
}

function save(name: string, data: Uint8Array): void {
  const url = URL.createObjectURL(new Blob([data as Uint8Array<ArrayBuffer>]));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
