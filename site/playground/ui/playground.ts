/** The page: what is written goes to the engine, what comes of it is shown. */

import { LIMITS, type Catalogue, type Compiled, type Contents, type Diagnostic, type Engine, type EngineEvent } from "../protocol";
import { Address } from "./address";
import { Appearance } from "./appearance";
import { Choosers } from "./choosers";
import { byId, counted } from "./dom";
import { Files } from "./files";
import { Following } from "./following";
import { Graph } from "./graph";
import { projectOf, LinkError } from "./link";
import { showMenu } from "./menu";
import { valueOf } from "./messages";
import { OutputPane } from "./output";
import { Problems } from "./problems";
import { FIRST, started, targetOf, usable, type Project } from "./project";
import { copy, download } from "./save";
import { Says } from "./says";
import { Source } from "./source";
import { Values } from "./values";
import { Views } from "./views";

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.max(1, Math.round(milliseconds))} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Of the whole project what is not in the editor. */
type Chosen = Omit<Project, "files">;

export class Playground {
  private readonly says = new Says();
  private readonly source: Source;
  private readonly output: OutputPane;
  private readonly files: Files;
  private readonly following: Following;
  private readonly problems: Problems;
  private readonly graph: Graph;
  private readonly choosers: Choosers;
  private readonly values: Values;
  private readonly address: Address;
  private readonly appearance: Appearance;
  private readonly views = new Views();
  /** The target and version that the output is for. */
  private worked = "";
  private chosen: Chosen;
  private contents: Contents | null = null;
  private diagnostics: readonly Diagnostic[] = [];
  private revision = 0;
  /** Nothing comes of updates any more. */
  private failed = false;
  /** While all files are replaced, which is one change. */
  private opening = true;
  /** The output and the picture are of another project, which was open before. */
  private foreign = false;

  constructor(
    private readonly catalogue: Catalogue,
    private readonly engine: Engine,
  ) {
    const ask: Engine["ask"] = (question, about) => engine.ask(question, about);
    const project = this.asked();
    const { files: _files, ...chosen } = project;
    this.chosen = chosen;
    this.source = new Source(byId("source"), ask, {
      changed: () => this.update(),
      moved: () => void this.following?.fromSource(true),
      shown: () => this.files?.show(this.chosen.main),
      format: () => void this.format(),
      says: (line) => this.says.toast(line),
    });
    this.output = new OutputPane({
      moved: (output, line) => void this.following.fromOutput(output, line),
      shown: () => void this.draw(),
    });
    this.following = new Following(ask, this.source, this.output, (line) => this.says.status("follow", line));
    this.problems = new Problems({
      go: (place) => this.go(place),
      fix: (diagnostic, anchor) => {
        const { file, from, to } = diagnostic.place;
        void this.source.fixes.take(this.source.view, file, from, to, diagnostic.code, anchor);
      },
    });
    this.graph = new Graph((place) => this.go(place));
    this.choosers = new Choosers(catalogue, (change) => this.choose(change));
    this.values = new Values(catalogue, (change) => this.choose(change));
    this.files = new Files(this.source, (main) => (this.chosen = { ...this.chosen, main }));
    this.address = new Address(catalogue, () => this.open(this.asked()));
    this.appearance = new Appearance(() => void this.draw());
    this.buttons();
    this.open(project);
    // On a phone it would open the keyboard.
    if (matchMedia("(pointer: fine)").matches) {
      this.source.view.focus();
    }
  }

  // --- the project ------------------------------------------------------------------------------------------------------

  /** What the address asks for. */
  private asked(): Project {
    const example = this.catalogue.examples.find(({ name }) => name === FIRST.example) ?? this.catalogue.examples[0];
    const first: Project =
      example === undefined
        ? { files: { "main.tfjob": "" }, main: "main.tfjob", target: FIRST.target, profile: null, params: {}, options: {}, job: null, strict: false }
        : started(example, FIRST.target);
    try {
      return usable(projectOf(location.hash, this.catalogue) ?? first, this.catalogue);
    } catch (error) {
      if (!(error instanceof LinkError)) {
        throw error;
      }
      this.says.toast(`${error.message[0]?.toUpperCase()}${error.message.slice(1)}. This is an example instead.`);
      return first;
    }
  }

  private get project(): Project {
    return { files: this.source.files, ...this.chosen };
  }

  private open(project: Project): void {
    const { files, ...chosen } = project;
    this.opening = true;
    this.chosen = chosen;
    this.contents = null;
    this.foreign = true;
    this.choosers.forget();
    this.source.open(files, chosen.main);
    this.opening = false;
    this.files.show(chosen.main);
    this.update();
  }

  private choose(change: Partial<Chosen>): void {
    this.chosen = { ...this.chosen, ...change };
    this.update();
  }

  private update(): void {
    if (this.opening) {
      return;
    }
    const { project } = this;
    this.revision += 1;
    this.busy(!this.failed);
    this.engine.update({ ...project, revision: this.revision });
    this.address.later(project);
    this.choosers.show(project, this.contents);
    this.values.show(project, this.contents);
  }

  /** What is shown is older than the text; tests and style sheets can see it. */
  private busy(busy: boolean): void {
    document.body.toggleAttribute("data-busy", busy);
  }

  // --- what the engine says ---------------------------------------------------------------------------------------------

  heard(event: EngineEvent): void {
    switch (event.kind) {
      case "loading":
        this.says.progress(event.part, event.says);
        break;
      case "ready":
        this.says.progress(null);
        this.says.status("engine", `tfdsl ${event.version}`);
        void this.draw();
        break;
      case "checked":
        this.checked(event);
        break;
      case "compiled":
        this.compiled(event);
        break;
      case "refused":
        if (event.revision !== this.revision) {
          break;
        }
        this.trouble(event.says);
        break;
      case "restarted":
        this.trouble(event.says);
        break;
      case "failed":
        this.failed = true;
        this.says.progress(null);
        this.trouble(event.says);
        break;
    }
  }

  /** From now on what is shown is of this project, or nothing is. */
  private leaveForeign(): void {
    if (this.foreign) {
      this.foreign = false;
      this.output.set([]);
      this.graph.forget();
    }
  }

  /** What is shown stays, and is old. */
  private trouble(line: string): void {
    this.leaveForeign();
    this.busy(false);
    this.following.setCurrent(false);
    byId("result-pane").classList.add("stale");
    this.says.banner(line, "trouble");
  }

  private checked({ revision, tokens, diagnostics, contents }: Extract<EngineEvent, { kind: "checked" }>): void {
    if (revision !== this.revision) {
      return;
    }
    this.contents = contents;
    this.source.setTokens(tokens);
    this.choosers.show(this.chosen, contents);
    this.values.show(this.chosen, contents);
    if (diagnostics !== null) {
      const kept = this.diagnostics.filter(({ target }) => target !== null);
      this.tell([...diagnostics, ...kept], diagnostics.length + kept.length);
    }
  }

  private compiled(event: Compiled): void {
    const { outputs, revision, target } = event;
    if (revision !== this.revision) {
      if (outputs !== null && !this.foreign) {
        this.output.set(outputs, target);
      }
      return;
    }
    this.leaveForeign();
    if (outputs !== null) {
      this.output.set(outputs, target);
      this.choosers.compiled(this.chosen, event);
    }
    this.busy(false);
    this.says.progress(null);
    this.tell(event.diagnostics, event.diagnosticCount);
    this.following.setCurrent(outputs !== null);
    void this.following.fromSource(true);
    this.state(event);
    void this.draw();
  }

  private tell(diagnostics: readonly Diagnostic[], count: number): void {
    this.diagnostics = diagnostics;
    this.source.setDiagnostics(diagnostics);
    this.problems.show(diagnostics, count);
  }

  private state({ outputs, cut, diagnostics, target, version, milliseconds }: Compiled): void {
    const errors = diagnostics.filter(({ level }) => level === "error").length;
    const title = this.catalogue.targets.find(({ name }) => name === target)?.title ?? target;
    const asked = `${title} ${version}`;
    byId("result-pane").classList.toggle("stale", outputs === null);
    if (outputs === null) {
      const there = this.output.all.length > 0;
      const whose = asked === this.worked ? "" : `, of ${this.worked}`;
      this.says.banner(
        `${counted(errors, "error")}: ${there ? `this is the last output that worked${whose}` : "there is no output"}`,
        "stale",
      );
    } else if (outputs.length === 0) {
      this.says.banner("The text has no job, so there is no output");
    } else {
      this.says.banner(cut ?? "");
    }
    if (outputs !== null) {
      this.worked = asked;
    }
    this.says.status("engine", `${asked} · ${duration(milliseconds)} · tfdsl ${this.catalogue.version}`);
  }

  /** The picture, when it is looked at. */
  private async draw(): Promise<void> {
    if (!this.output?.showsGraph) {
      return;
    }
    const { revision } = this;
    const drawn = await this.engine.ask("graph", { forTarget: true });
    if (revision === this.revision) {
      this.graph.show(drawn, this.appearance.dark);
    }
  }

  // --- what the reader does ---------------------------------------------------------------------------------------------

  private go(place: Diagnostic["place"]): void {
    const value = valueOf(place);
    if (value !== null) {
      this.views.show("result");
      this.values.go(value);
      return;
    }
    this.views.show("source");
    this.source.go(place);
  }

  private async format(): Promise<void> {
    const { revision } = this;
    const edits = await this.engine.ask("format", { file: this.source.file });
    if (edits === null || revision !== this.revision) {
      this.says.toast("This text cannot be formatted yet");
    } else if (edits.length === 0) {
      this.says.toast("Nothing to format: it is well formed, or has an error of syntax");
    } else {
      this.source.edit(edits);
    }
  }

  private buttons(): void {
    const click = (id: string, run: (button: HTMLElement) => void) =>
      byId(id).addEventListener("click", () => run(byId(id)));
    click("examples", (button) => this.examples(button));
    click("format", () => void this.format());
    click("share", () => void this.share());
    click("copy", () => void this.copy());
    click("download", () => download(this.output.all, targetOf(this.chosen).name));
    click("keys-button", () => this.keys());
  }

  private keys(): void {
    if (/^Mac|^iP/.test(navigator.platform)) {
      byId("keys").querySelectorAll("kbd[data-mod]").forEach((key) => (key.textContent = "⌘"));
    }
    byId<HTMLDialogElement>("keys").showModal();
  }

  private examples(button: HTMLElement): void {
    const items = this.catalogue.examples.map((example) => ({
      title: example.name,
      about: example.summary,
      chosen: () => {
        const next = usable(started(example, this.chosen.target), this.catalogue);
        this.address.leave(next);
        this.open(next);
        this.source.view.focus();
      },
    }));
    showMenu("Examples", items, button, button);
  }

  private async share(): Promise<void> {
    if (!this.address.now(this.project)) {
      this.says.toast(`The text is too long for a link (about ${(LIMITS.input / 1e6).toLocaleString("en")} million characters fit)`);
      return;
    }
    const copied = await copy(location.href);
    this.says.toast(
      copied
        ? "Link copied. The text is in the link itself; nothing was sent anywhere."
        : "The link is in the address bar. The text is in it; nothing was sent anywhere.",
    );
  }

  private async copy(): Promise<void> {
    const { current } = this.output;
    if (current === undefined) {
      this.says.toast("There is no output to copy");
      return;
    }
    this.says.toast((await copy(current.text)) ? `Copied ${current.name}` : "The browser did not allow it");
  }
}
