/** Light, dark, or as the system: chosen here, remembered here, and at first as it is chosen on the rest of the site. */

import { byId, icon } from "./dom";
import { remember, remembered } from "./memory";

const KINDS = ["system", "light", "dark"] as const;
type Kind = (typeof KINDS)[number];

const system = matchMedia("(prefers-color-scheme: dark)");

export class Appearance {
  private kind: Kind;

  constructor(private readonly changed: () => void) {
    const own = remembered("appearance");
    this.kind = KINDS.find((kind) => kind === own) ?? ofSite();
    byId("appearance").addEventListener("click", () => this.next());
    system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get dark(): boolean {
    return this.kind === "dark" || (this.kind === "system" && system.matches);
  }

  private next(): void {
    this.kind = KINDS[(KINDS.indexOf(this.kind) + 1) % KINDS.length] ?? "system";
    remember("appearance", this.kind);
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset["scheme"] = this.dark ? "dark" : "light";
    const button = byId("appearance");
    const name = { system: "as the system", light: "light", dark: "dark" }[this.kind];
    button.replaceChildren(icon({ system: "system", light: "sun", dark: "moon" }[this.kind]));
    button.setAttribute("aria-label", `Colours: ${name}`);
    button.title = `Colours: ${name}`;
    this.changed();
  }
}

/** What the pages around remember: the theme writes it below the path of the site. */
function ofSite(): Kind {
  try {
    const base = new URL("..", location.href).pathname;
    const kept = JSON.parse(localStorage.getItem(`${base}.__palette`) ?? "{}");
    const scheme = kept?.color?.media?.includes("light") || kept?.color?.media?.includes("dark") ? kept.color.scheme : null;
    return scheme === "slate" ? "dark" : scheme === "default" ? "light" : "system";
  } catch {
    return "system";
  }
}
