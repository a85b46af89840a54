/** What a reader of the playground waits for at most, in milliseconds. */

/**
 * How much slower a machine may be that does other things at the same time. The budgets themselves, which are meant for
 * one of two cores that does nothing else, are held with `TFDSL_QUIET=1`.
 */
const BUSY = process.env["TFDSL_QUIET"] === undefined ? 2 : 1;

/** From opening the page to the first output. */
export const FIRST_OUTPUT = 5000 * BUSY;
/** From a key to the output of the new text, the median of ten. */
export const KEY_TO_OUTPUT = 150 * BUSY;
