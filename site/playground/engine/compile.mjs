/**
 * Compiles Python with the Python of Pyodide, whose .pyc no other can write: `node compile.mjs FROM TO` makes of each folder
 * and file below FROM one below TO, a .pyc in place of each .py. library/ is compiled without docstrings and assertions; what
 * is in a folder programs/ stays as it is, because it is sent to clusters.
 */

import { loadPyodide } from "pyodide";

const [from, to] = process.argv.slice(2);
const python = await loadPyodide();
for (const [folder, root] of [["/from", from], ["/to", to]]) {
  python.FS.mkdirTree(folder);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, folder);
}
try {
  python.runPython(`
import os
from importlib._bootstrap_external import _code_to_hash_pyc

for folder, folders, names in os.walk('/from'):
    folders.sort()
    inside = os.path.relpath(folder, '/from')
    os.makedirs(os.path.normpath(os.path.join('/to', inside)), exist_ok=True)
    for name in sorted(names):
        path = os.path.normpath(os.path.join(inside, name))
        with open(os.path.join('/from', path), 'rb') as file:
            data = file.read()
        if name.endswith('.py') and '/programs/' not in path:
            shown = path.partition('/')[2]
            code = compile(data, shown, 'exec', dont_inherit=True, optimize=2 if path.startswith('library/') else 0)
            path, data = path + 'c', _code_to_hash_pyc(code, bytes(8), False)
        with open(os.path.join('/to', path), 'wb') as file:
            file.write(data)
`);
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
