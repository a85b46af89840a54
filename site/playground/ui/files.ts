/** The row of files above the text: choose, add, rename, remove. */

import { byId } from "./dom";
import { showMenu } from "./menu";
import type { Source } from "./source";
import { Tabs } from "./tabs";

/** A path below the folder of the project. */
const NAME = /^[^/\\\0-\x1f]{1,100}(?:\/[^/\\\0-\x1f]{1,100}){0,8}$/;

export class Files {
  private readonly tabs: Tabs;
  private readonly dialog = byId<HTMLDialogElement>("naming");
  private readonly field = byId<HTMLInputElement>("naming-field");
  private main = "";
  private named: ((name: string) => void) | null = null;
  /** The name that the file has now, which it can keep. */
  private own = "";

  /** `renamed`: the file that is compiled has another name. */
  constructor(
    private readonly source: Source,
    private readonly renamed: (main: string) => void,
  ) {
    this.tabs = new Tabs(
      byId("file-tabs"),
      () => "source",
      (name) => source.show(name),
    );
    byId("file-menu").addEventListener("click", (event) => this.menu(event.currentTarget as HTMLElement));
    this.field.addEventListener("input", () => this.field.setCustomValidity(this.wrong(this.field.value.trim())));
    byId("naming-form").addEventListener("submit", () => this.named?.(this.field.value.trim()));
    byId("naming-cancel").addEventListener("click", () => this.dialog.close());
  }

  show(main: string): void {
    this.main = main;
    this.tabs.show(
      this.source.names.map((name) => ({ key: name, title: name })),
      this.source.file,
    );
  }

  private menu(button: HTMLElement): void {
    const { file } = this.source;
    const isMain = file === this.main;
    showMenu(
      "Files",
      [
        {
          title: "New file…",
          about: "For include, file() and env_file(), or tfdsl.toml",
          chosen: () => this.name("New file", "", (name) => this.source.add(name)),
        },
        {
          title: `Rename ${file}…`,
          chosen: () =>
            this.name("Rename", file, (name) => {
              if (isMain) {
                this.renamed(name);
              }
              this.source.rename(file, name);
            }),
        },
        ...(isMain ? [] : [{ title: `Remove ${file}`, chosen: () => this.source.remove(file, this.main) }]),
      ],
      button,
      button,
    );
  }

  private name(title: string, value: string, named: (name: string) => void): void {
    byId("naming-title").textContent = title;
    this.named = named;
    this.own = value;
    this.field.value = value;
    this.field.setCustomValidity(this.wrong(value));
    this.dialog.showModal();
    this.field.select();
  }

  private wrong(name: string): string {
    if (!NAME.test(name) || name.split("/").some((part) => part === "." || part === "..")) {
      return "Write a name such as common.tfjob or lib/roles.tfjob";
    }
    return name !== this.own && this.source.names.includes(name) ? `There is a file ${name} already` : "";
  }
}
