/** What the navigation of the site has. */

import type { Site } from "./site";

/** The pages of the navigation, in its order, as `guide/start.html`; without the playground, which is no page of it. */
export async function navigated(site: Site): Promise<string[]> {
  const page = await site.open();
  const links = page.locator(".md-nav--primary .md-nav__link[href]");
  const found = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href.replace(/#.*$/, "")));
  await page.context().close();
  return [...new Set(found.map((address) => site.nameOf(address)))].filter((name) => !name.startsWith("playground/"));
}
