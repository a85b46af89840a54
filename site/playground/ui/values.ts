/** Values from outside: params of the text, options of the target, `--strict`. */

import type { Catalogue, Contents, Option, Param } from "../protocol";
import { byId, counted, make } from "./dom";
import { inline } from "./markdown";
import type { Value } from "./messages";
import { targetOf, type Project } from "./project";

type Chosen = Pick<Project, "target" | "params" | "options" | "strict">;
type Kind = Value["kind"];

/** What a field is about. */
interface Field {
  readonly name: string;
  readonly type: string;
  /** What is used when the field is empty. */
  readonly shown: string;
  readonly doc: string;
  readonly choices: readonly string[];
}

export class Values {
  private readonly button = byId<HTMLButtonElement>("values-button");
  private readonly panel = byId("values");
  private chosen: Chosen | null = null;
  private drawn = "";

  constructor(
    private readonly catalogue: Catalogue,
    private readonly changed: (change: Partial<Project>) => void,
  ) {
    this.button.addEventListener("click", () => this.fold(this.panel.hidden === true));
    this.panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.fold(false);
        this.button.focus();
      }
    });
    byId<HTMLInputElement>("strict").addEventListener("change", (event) => {
      changed({ strict: (event.target as HTMLInputElement).checked });
    });
  }

  fold(open: boolean): void {
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
  }

  show(chosen: Chosen, contents: Contents | null): void {
    this.chosen = chosen;
    const target = this.catalogue.targets.find(({ name }) => name === targetOf(chosen).name);
    const params = (contents?.params ?? []).map(paramField);
    const options = (target?.options ?? []).map(optionField);
    const set = Object.keys(chosen.params).length + Object.keys(chosen.options).length + (chosen.strict ? 1 : 0);
    byId("values-count").textContent = set > 0 ? String(set) : "";
    this.button.setAttribute("aria-label", set > 0 ? `Values, ${counted(set, "is set", "are set")}` : "Values");
    byId<HTMLInputElement>("strict").checked = chosen.strict;
    // Only what is drawn anew loses the cursor, so a value that is used by default does not count.
    const drawn = [params, options].map((fields) => fields.map(({ shown: _shown, ...field }) => field));
    const text = JSON.stringify([drawn, chosen.target]);
    if (text !== this.drawn) {
      this.drawn = text;
      this.group("params", params, "Params of this file", "The text has no params.");
      this.group("options", options, `Options of ${target?.title ?? "the target"}`, "It has no options.");
    }
    this.fill("params", params, chosen.params);
    this.fill("options", options, chosen.options);
  }

  /** Show the field of a param or option, to write another value. */
  go({ kind, name }: Value): void {
    this.fold(true);
    document.getElementById(`${kind}-${name}`)?.focus();
  }

  private fill(kind: Kind, fields: readonly Field[], chosen: Readonly<Record<string, string>>): void {
    for (const { name, shown } of fields) {
      const input = document.getElementById(`${kind}-${name}`) as HTMLInputElement | HTMLSelectElement;
      if (input instanceof HTMLSelectElement) {
        (input.options[0] as HTMLOptionElement).textContent = shown === "" ? "as the target decides" : shown;
      } else {
        input.placeholder = shown;
      }
      // A param may be called as a member of any object.
      const value = (Object.hasOwn(chosen, name) ? chosen[name] : undefined) ?? "";
      if (input.value !== value) {
        input.value = value;
      }
    }
  }

  private group(kind: Kind, fields: readonly Field[], title: string, none: string): void {
    const box = byId(kind);
    const focused = (document.activeElement as HTMLElement | null)?.id;
    const rows = fields.map((field) => this.row(kind, field));
    box.replaceChildren(make("legend", {}, title), ...(rows.length > 0 ? rows : [make("p", { class: "none" }, none)]));
    if (focused?.startsWith(`${kind}-`)) {
      document.getElementById(focused)?.focus();
    }
  }

  private row(kind: Kind, field: Field): HTMLElement {
    const id = `${kind}-${field.name}`;
    const about = make("small", { id: `${id}-about` }, ...inline(field.doc));
    const input = field.choices.length > 0 ? choice(id, field) : free(id, field);
    input.dataset["name"] = field.name;
    input.setAttribute("aria-describedby", about.id);
    input.addEventListener("input", () => this.take(kind, field.name, input.value));
    return make("div", { class: "value" }, make("label", { for: id }, field.name), input, about);
  }

  private take(kind: Kind, name: string, value: string): void {
    const { [name]: _before, ...others } = this.chosen?.[kind] ?? {};
    this.changed({ [kind]: value === "" ? others : { ...others, [name]: value } });
  }
}

function choice(id: string, { choices }: Field): HTMLSelectElement {
  return make("select", { id }, make("option", { value: "" }), ...choices.map((each) => make("option", { value: each }, each)));
}

function free(id: string, { type }: Field): HTMLInputElement {
  return make("input", { id, type: "text", autocomplete: "off", spellcheck: "false", title: type });
}

/** What `--set` takes for a text is the text itself. */
function unquoted(value: string, type: string): string {
  if (type !== "string" || !value.startsWith('"')) {
    return value;
  }
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

function paramField({ name, type, description, default: standard, value, choices, min, max }: Param): Field {
  const bounds = [min === null ? "" : `from ${min}`, max === null ? "" : `to ${max}`].filter((each) => each !== "");
  const needed = standard === null && value === null ? ["needs a value"] : [];
  const truth = type === "bool" && choices.length === 0 ? ["true", "false"] : choices;
  return {
    name,
    type,
    shown: unquoted(value ?? standard ?? "", type),
    doc: [`\`${type}\``, ...bounds, ...needed].join(", ") + (description === "" ? "" : `: ${escaped(description)}`),
    choices: truth.map((each) => unquoted(each, type)),
  };
}

/** The author's words, in which nothing is a mark of Markdown. */
function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

function optionField({ name, type, doc, default: standard, choices }: Option): Field {
  return { name, type, shown: standard ?? "", doc, choices };
}
