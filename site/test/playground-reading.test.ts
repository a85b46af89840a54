/** What a reader of the playground does beside writing: lines that follow each other, the graph, values, links, files. */

import assert from "node:assert/strict";
import fs from "node:fs";
import test, { after, afterEach, before } from "node:test";
import { Playground } from "./playground";
import { Site } from "./site";

const JOB = `param many: int = 2 { description = "copies <b>of</b> it", min = 1, max = 9 }
profile big { many = 8 }

job a {
  image   = "registry.example.com/a:1"
  command = ["true"]
  role worker { replicas = many }
}
`;

let site: Site;
let play: Playground;

before(async () => {
  site = await Site.start();
  play = await Playground.open(site);
  await play.settled();
});

afterEach(() => site.assertQuiet());

after(() => site?.stop());

test("the lines of the output that the line at the cursor made are marked", async () => {
  await play.write(JOB);
  await play.line("source", "image").click();
  await play.line("output", "image: registry").and(play.page.locator(".together-made")).waitFor();
  assert.deepEqual([...new Set((await play.marked("output")).map((line) => line.trim()))], ["image: registry.example.com/a:1"]);
  await play.line("source", "param many").click();
  await play.line("output", "replicas: 2").and(play.page.locator(".together-through")).waitFor();
  assert.match((await play.page.locator("#status-follow").textContent()) ?? "", /^Line 1 is in \d+ lines? of a\.yaml$/);
});

test("a line of the output leads to the line that made it, also by keys", async () => {
  await play.write(JOB);
  await play.line("output", "replicas: 2").click({ position: { x: 20, y: 8 } });
  await play.line("source", "role worker").and(play.page.locator(".together-made")).waitFor();
  await play.line("source", "param many").and(play.page.locator(".together-through")).waitFor();
  await play.editor("output").focus();
  await play.page.keyboard.press("Control+Home");
  for (let line = 0; line < 4; line += 1) {
    await play.page.keyboard.press("ArrowDown");
  }
  await play.line("source", "job a").and(play.page.locator(".together-made")).waitFor();
});

test("the output can be read but not written", async () => {
  await play.write(JOB);
  const before = await play.text("output");
  await play.editor("output").focus();
  await play.page.keyboard.type("x");
  await play.page.keyboard.press("Delete");
  assert.equal(await play.text("output"), before);
});

test("the graph shows the job, and its parts lead to their lines", async () => {
  await play.write(JOB);
  await play.tab("Graph").click();
  const role = play.page.locator("#graph svg .leads", { hasText: "worker" }).first();
  await role.click();
  await play.page.waitForFunction(() => getSelection()?.anchorNode?.parentElement?.closest(".cm-line")?.textContent?.includes("role worker"));
  await play.tab("a.yaml").click();
});

test("params, the profile and options change the output", async () => {
  await play.write(JOB);
  await play.button("Values").click();
  const field = play.page.getByRole("textbox", { name: "many" });
  assert.match((await play.page.locator("#params-many-about").textContent()) ?? "", /int, from 1, to 9: copies <b>of<\/b> it/);
  await field.fill("5");
  await play.settled();
  await play.line("output", "replicas: 5").waitFor();
  await field.fill("10");
  await play.settled();
  assert.match((await play.problems()).join(), /must be at most 9, not 10/);
  assert.equal(await play.page.locator("#problems-list .where").first().textContent(), "value of many");
  await play.page.locator("#problems-list .place").first().click();
  assert.equal(await field.evaluate((each) => each === document.activeElement), true);
  await field.fill("");
  await play.page.locator("#profile").selectOption("big");
  await play.line("output", "replicas: 8").waitFor();
  await play.page.getByRole("combobox", { name: "istio_annotation" }).selectOption("false");
  await play.settled();
  assert.doesNotMatch(await play.text("output"), /istio/);
  await field.focus();
  await play.page.keyboard.press("Escape");
  assert.equal(await play.page.locator("#values").isHidden(), true);
});

test("strict makes an error of what a target only approximates", async () => {
  await play.go("example=mnist&target=volcano");
  assert.equal(await play.page.locator(".message-error").count(), 0);
  await play.button("Values").click();
  await play.page.getByRole("checkbox", { name: /Strict/ }).check();
  await play.settled();
  assert.ok((await play.page.locator(".message-error").count()) > 0);
  await play.page.getByRole("checkbox", { name: /Strict/ }).uncheck();
  await play.button("Values").click();
});

test("one job of several can be chosen", async () => {
  await play.go("example=sweep&target=kubernetes");
  const jobs = play.page.locator("#job option");
  const names = await jobs.allTextContents();
  assert.equal(names[0], `all ${names.length - 1}`);
  await play.page.locator("#job").selectOption({ index: 2 });
  await play.settled();
  assert.deepEqual(await play.page.locator("#output-tabs .tab").allTextContents(), [`${names[2]}.yaml`, "Graph"]);
});

test("the link of the page gives the same text, target and values in another window", async () => {
  await play.write(JOB, "tfjob@1.8", { profile: "big", params: { many: "3" } });
  await play.button("Share").click();
  const copied = "Link copied. The text is in the link itself; nothing was sent anywhere.";
  await play.page.locator("#toast.shown", { hasText: copied }).waitFor();
  const link = await play.page.evaluate(() => navigator.clipboard.readText());
  const other = await Playground.open(site, new URL(link).hash.slice(1));
  await other.settled();
  assert.equal(await other.text("source"), JOB);
  assert.equal(await other.text("output"), await play.text("output"));
  assert.match(await other.text("output"), /^# Generated by tfdsl for tfjob 1\.8[^]*replicas: 3/);
  await other.page.context().close();
});

test("a damaged link is told, and an example is there instead", async () => {
  await play.go("1=AAAA");
  await play.page.locator("#toast.shown", { hasText: "This link is damaged" }).waitFor();
  await play.line("source", "Parameter servers").waitFor();
});

test("what is in a text, a name or a value is never a part of the page", async () => {
  const evil = '<img src=x onerror="document.title=\'gone\'"><script>document.title=1</script>';
  await play.write(`# ${evil}\nparam a: string = ${JSON.stringify(evil)} { description = ${JSON.stringify(evil)} }\njob b { ${evil} }\n`, "volcano", {
    params: { a: evil, [evil]: evil },
    profile: evil,
    job: evil,
  });
  await play.button("Values").click();
  await play.tab("Graph").click();
  await play.page.locator("#graph > *").first().waitFor();
  assert.equal(await play.page.locator("img, #graph script, #panes script").count(), 0);
  assert.match(await play.page.title(), /Playground/);
  await play.button("Values").click();
});

test("an example replaces the text, and going back brings it back", async () => {
  await play.write(JOB);
  await play.button("Examples").click();
  await play.page.getByRole("menuitem", { name: /^single-gpu/ }).click();
  await play.line("source", "job").waitFor();
  await play.settled();
  assert.match(await play.page.evaluate(() => location.hash), /^#example=single-gpu/);
  await play.page.goBack();
  await play.line("source", "param many").waitFor();
  await play.settled();
  assert.equal(await play.text("source"), JOB);
});

test("files are added, renamed and removed, and are included", async () => {
  await play.write('include "common.tfjob"\njob a {\n  image = registry\n  role worker { }\n}\n');
  assert.ok((await play.problems()).length > 0);
  await play.button(/^Files/).click();
  await play.page.getByRole("menuitem", { name: /New file/ }).click();
  await play.page.getByRole("textbox", { name: "Name" }).fill("../up.tfjob");
  assert.equal(await play.page.locator("#naming-field:invalid").count(), 1);
  await play.page.getByRole("textbox", { name: "Name" }).fill("other.tfjob");
  await play.page.keyboard.press("Enter");
  await play.editor("source").focus();
  await play.page.keyboard.insertText('let registry = "registry.example.com/x:1"\n');
  await play.button(/^Files/).click();
  await play.page.getByRole("menuitem", { name: /Rename other/ }).click();
  await play.page.getByRole("textbox", { name: "Name" }).fill("common.tfjob");
  await play.page.keyboard.press("Enter");
  await play.settled();
  assert.deepEqual(await play.problems(), []);
  await play.tab("a.yaml").click();
  await play.line("output", "image: registry.example.com/x:1").waitFor();
  await play.button(/^Files/).click();
  await play.page.getByRole("menuitem", { name: /Remove common/ }).click();
  await play.settled();
  assert.ok((await play.problems()).length > 0);
});

test("the output is copied and saved: one file as it is, several as an archive", async () => {
  await play.write(JOB);
  const [one] = await Promise.all([play.page.waitForEvent("download"), play.button("Download the output").click()]);
  assert.equal(one.suggestedFilename(), "a.yaml");
  assert.equal(fs.readFileSync(await one.path(), "utf8"), await play.text("output"));
  await play.write(JOB.replace("registry.example.com/a:1", "a:1"), "slurm");
  const [all] = await Promise.all([play.page.waitForEvent("download"), play.button("Download the output").click()]);
  assert.equal(all.suggestedFilename(), "slurm.zip");
  const archive = fs.readFileSync(await all.path()).toString("latin1");
  for (const name of await play.page.locator("#output-tabs .tab").allTextContents()) {
    assert.ok(name === "Graph" || archive.includes(name), name);
  }
});

test("names that every object of JavaScript has are names of files and params as others are", async () => {
  const names = ["constructor", "__proto__", "toString"];
  const text = `${names.map((name) => `param ${name}: int = 1\n`).join("")}${JOB}`;
  await play.write(text, "volcano", { files: Object.fromEntries([...names.map((name) => [name, "a text"]), ["main.tfjob", text]]) });
  for (const name of names) {
    await play.tab(name).click();
    assert.equal(await play.text("source"), "a text");
  }
  await play.button("Values").click();
  for (const name of names) {
    assert.equal(await play.page.getByRole("textbox", { name, exact: true }).inputValue(), "");
  }
  await play.page.locator("#values-button").click();
});

test("a wrong value of an option leads to its field", async () => {
  await play.write(JOB, "volcano", { options: { gang_size: "0" } });
  assert.equal(await play.page.locator("#problems-list .where").first().textContent(), "value of gang_size");
  await play.page.locator("#problems-list .place").first().click();
  assert.equal(await play.page.locator("#options-gang_size").evaluate((each) => each === document.activeElement), true);
  await play.page.locator("#values-button").click();
});

test("the version that the text names is the one that is shown, and another can be chosen", async () => {
  await play.write(JOB.replace("  role", '  target volcano { version = "1.9" }\n  role'));
  const version = play.page.locator("#version");
  const latest = (await version.locator("option").allTextContents()).at(-1) ?? "";
  assert.equal(await version.inputValue(), "1.9");
  await version.selectOption(latest);
  await play.settled();
  assert.match(await play.text("output"), new RegExp(`for volcano ${latest.replace(".", "\\.")} `));
  assert.equal(await version.inputValue(), latest);
  await version.selectOption("1.9");
  await play.settled();
  assert.match(await play.text("output"), /for volcano 1\.9 /);
});

test("a text that has no output does not show the output of the one before", async () => {
  await play.write(JOB);
  await play.line("output", "kind: Job").waitFor();
  await play.write("job a { role worker { ");
  assert.match((await play.page.locator("#banner").textContent()) ?? "", /there is no output$/);
  assert.deepEqual(await play.page.locator("#output-tabs .tab").allTextContents(), ["Graph"]);
  await play.write(JOB);
  await play.line("output", "kind: Job").waitFor();
});
