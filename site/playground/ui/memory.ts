/** What this browser remembers of the page; a browser that does not want to is no error. */

const PREFIX = "tfdsl.playground.";

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Then it is forgotten.
  }
}
