/** The targets. Made by grammar/editor_words.py from grammar/editors/targets.ts; change that file. */

export const TARGETS: readonly string[] = ["jobset", "kubernetes", "slider", "slurm", "tfjob", "volcano", "yarn"];
