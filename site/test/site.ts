/** The built site in a real Chromium; a test that sees a request to elsewhere or an error of a page fails. */

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { chromiumOptions } from "../../tests/browser/chromium";
import { serve, type Served } from "./server";

/** The folder of the project; the tests run bundled, from `site/dist/test`. */
export const project = path.resolve(__dirname, "../../..");
/** What `make site` has built. */
export const built = path.join(project, "build/site");

/** A server of the built site and a browser. */
export class Site {
  /** What pages did that they should not, one line each. */
  private readonly complaints: string[] = [];

  private constructor(
    private readonly server: Served,
    readonly browser: Browser,
    private readonly scratch: string,
  ) {}

  static async start(): Promise<Site> {
    if (!fs.existsSync(path.join(built, "index.html"))) {
      throw new Error(`there is no site in ${built}: run make site`);
    }
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "tfdsl-site-"));
    const work = path.resolve(process.env["WORK"] ?? path.join(project, ".editors"));
    const browser = await chromium.launch(await chromiumOptions(work, scratch));
    return new Site(await serve(built), browser, scratch);
  }

  /** The address of a page of the site, as `guide/start.html`. */
  url(page = ""): string {
    return this.server.url + page;
  }

  /** The page of the site that an address is of. */
  nameOf(address: string): string {
    return address.replace(this.url(), "").replace(/#.*$/, "") || "index.html";
  }

  /** A new window, which is watched. */
  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext(options);
    context.on("request", (request) => {
      const address = request.url();
      if (!/^(data|blob|about):/.test(address) && !address.startsWith(this.url())) {
        this.complaints.push(`request to elsewhere: ${address}`);
      }
    });
    context.on("response", (response) => {
      if (response.status() >= 400) {
        this.complaints.push(`status ${response.status()}: ${response.url()}`);
      }
    });
    context.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") {
        this.complaints.push(`console of ${message.page()?.url()}: ${message.text()}`);
      }
    });
    context.on("weberror", (error) => this.complaints.push(`error in ${error.page()?.url()}: ${error.error().message}`));
    return context;
  }

  /** A page of the site in a window of its own. */
  async open(page = "", options: BrowserContextOptions = {}): Promise<Page> {
    const opened = await (await this.context(options)).newPage();
    await opened.goto(this.url(page));
    return opened;
  }

  /** What the pages did wrong since the last call; a test that does something wrong on purpose takes it from here. */
  takeComplaints(): string[] {
    return this.complaints.splice(0);
  }

  /** Fail if a page did anything wrong since the last call. */
  assertQuiet(): void {
    assert.deepEqual(this.takeComplaints(), []);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
    fs.rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}
