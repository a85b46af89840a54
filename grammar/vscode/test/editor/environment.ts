/** What the tests get from outside. */

import path from "node:path";

const python = process.env["TFDSL_PYTHON"];
if (python === undefined) {
  throw new Error("TFDSL_PYTHON is not set: it names the Python that has tfdsl[lsp]");
}
/** The folder of the program `tfdsl`. */
export const program = path.dirname(python);
