/** The border between the text and the output: dragged, or moved by the arrow keys. */

import { byId } from "./dom";
import { remember, remembered } from "./memory";

const LEAST = 20;
const MOST = 80;

export function splitter(): void {
  const handle = byId("splitter");
  const panes = byId("panes");
  let part = 50;

  const move = (to: number) => {
    part = Math.min(MOST, Math.max(LEAST, to));
    panes.style.setProperty("--part", `${part}%`);
    handle.setAttribute("aria-valuenow", String(Math.round(part)));
    remember("part", String(part));
  };

  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) {
      const { left, width } = panes.getBoundingClientRect();
      move(((event.clientX - left) / width) * 100);
    }
  });
  handle.addEventListener("dblclick", () => move(50));
  handle.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: part - 5, ArrowRight: part + 5, Home: LEAST, End: MOST }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      move(to);
    }
  });
  move(Number(remembered("part") ?? 50) || 50);
}
