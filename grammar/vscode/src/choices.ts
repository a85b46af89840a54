/** The request `tfdsl/choices`: the targets and the profile that a text is checked for, and what else it may be checked with. */

export const CHOICES = "tfdsl/choices";

export interface Choices {
  /** As `-t` takes them: those of the settings, else of the project, else of the text. */
  readonly targets: readonly string[];
  readonly profile: string | undefined;
  /** The profiles that the text and its includes have. */
  readonly profiles: readonly string[];
}

/** What an answer says; what has another form than agreed on is left out. */
export function choicesOf(answer: unknown): Choices {
  const { targets, profile, profiles } = (answer ?? {}) as Record<string, unknown>;
  return { targets: texts(targets), profile: texts([profile])[0], profiles: texts(profiles) };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
