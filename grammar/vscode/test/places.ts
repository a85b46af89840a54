/** Where things are; the tests run bundled, from `dist/test` of the extension. */

import fs from "node:fs";
import path from "node:path";

/** The folder of the extension. */
export const extension = path.resolve(__dirname, "../..");
/** The folder of the project. */
export const project = path.resolve(extension, "../..");
/** The example files. */
export const examples = fs
  .readdirSync(path.join(project, "examples"))
  .map((name) => path.join(project, "examples", name, "main.tfjob"))
  .filter((file) => fs.existsSync(file));
