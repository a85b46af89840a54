/** A menu that a button or a key opens: arrows, Home, End and first letters move in it, Escape closes it. */

import { make } from "./dom";

export interface MenuItem {
  readonly title: string;
  /** A line below the title. */
  readonly about?: string;
  readonly chosen: () => void;
}

/** Where a menu opens: below an element, or at a point of the window. */
export type Anchor = Element | { readonly left: number; readonly bottom: number };

let open: { menu: HTMLElement; close: () => void } | null = null;

/** Show a menu. When it closes, `back` has the focus again. */
export function showMenu(label: string, items: readonly MenuItem[], anchor: Anchor, back: { focus(): void }): void {
  open?.close();
  const menu = make("div", { class: "menu", role: "menu", "aria-label": label, tabindex: "-1" });
  const close = () => {
    menu.remove();
    document.removeEventListener("pointerdown", outside, true);
    if (anchor instanceof Element) {
      anchor.setAttribute("aria-expanded", "false");
    }
    open = null;
  };
  const outside = (event: Event) => {
    if (!menu.contains(event.target as Node)) {
      close();
    }
  };
  for (const item of items) {
    const choose = () => {
      close();
      back.focus();
      item.chosen();
    };
    const button = make("button", { type: "button", role: "menuitem", tabindex: "-1", click: choose }, make("span", {}, item.title));
    if (item.about !== undefined) {
      button.append(make("small", {}, item.about));
    }
    menu.append(button);
  }
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      close();
      back.focus();
    } else {
      move(menu, event);
    }
  });
  document.body.append(menu);
  place(menu, anchor);
  document.addEventListener("pointerdown", outside, true);
  if (anchor instanceof Element) {
    anchor.setAttribute("aria-expanded", "true");
  }
  open = { menu, close };
  menu.querySelector<HTMLElement>("[role=menuitem]")?.focus();
}

function move(menu: HTMLElement, event: KeyboardEvent): void {
  const items = [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  let next = steps[event.key];
  if (next === undefined && event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== " ") {
    const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    const found = order.find((item) => item.textContent?.toLowerCase().startsWith(event.key.toLowerCase()));
    next = found && items.indexOf(found);
  }
  if (next !== undefined) {
    event.preventDefault();
    items[next]?.focus();
  }
}

function place(menu: HTMLElement, anchor: Anchor): void {
  const { left, bottom } = anchor instanceof Element ? anchor.getBoundingClientRect() : anchor;
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(bottom + 4, innerHeight - height - 8))}px`;
}
