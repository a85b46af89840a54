"""Builds the engine of the playground: ``python site/playground/engine/build.py FOLDER``.

FOLDER then has what ``startEngine`` (client.ts) loads: the worker, Python, its library, the compiler with what it
needs, and ``catalogue.json``, which the page can show before any of that is there. Python is that of Pyodide, from npm
(site/package.json). Of pydantic-core the wheel for its platform is fetched from PyPI, in the version and with the hash
that requirements/base.txt has for everybody; all other packages are those that are installed beside this Python, from
the same file.

Everything is compiled here: to compile the sources at each start would take seconds.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.metadata
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[2]
SITE: Final = ROOT / "site"
WORK: Final = ROOT / "build" / "playground"
PYODIDE: Final = SITE / "node_modules" / "pyodide"
PACKAGES: Final = ("pydantic", "typing_extensions", "typing_inspection", "annotated_types", "jinja2", "markupsafe")
"""Packages that are the same on every platform; of markupsafe, what it does without its C is."""
PLATFORM: Final = ("--implementation", "cp", "--abi", "cp314", "--platform", "pyemscripten_2026_0_wasm32")
NOT_NEEDED: Final = (
    "tfdsl/running",  # there are no processes
    "tfdsl/lsp/server",
    "tfdsl_backends/yarn/programs/typings",
    "pydantic/v1",
    "pydantic/mypy.py",
)
NOT_IN_LIBRARY: Final = re.compile(
    r"(ctypes|curses|dbm|ensurepip|idlelib|lib2to3|multiprocessing|pydoc_data|sqlite3|tkinter|turtledemo|unittest|venv|wsgiref|"
    r"xmlrpc|site-packages)/|(pydoc|doctest|pdb|turtle|profile|cProfile|mailbox|smtplib|imaplib|ftplib|poplib|nntplib)\.py$"
)
"""Of the standard library, what neither the compiler nor Pyodide imports."""


def main(folder: Path) -> None:
    """Build everything into ``folder``."""
    WORK.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    sources = WORK / "sources"
    shutil.rmtree(sources, ignore_errors=True)
    collect(sources)
    compiled = compile_all(sources)
    write_packed(folder / "library.zip.gz", zipped(compiled / "library"))
    write_packed(folder / "packages.bin.gz", pack(compiled / "packages"))
    write_packed(folder / "pyodide.asm.wasm.gz", (PYODIDE / "pyodide.asm.wasm").read_bytes())
    bundle(folder / "worker.js.gz")
    (folder / "catalogue.json").write_text(catalogue(), encoding="utf-8")
    (folder / "licences.txt").write_text(licences(), encoding="utf-8")


# --- the sources -----------------------------------------------------------------------------------------------------


def collect(to: Path) -> None:
    """All files that are needed: ``library/`` and ``packages/`` below ``to``."""
    packages = to / "packages"
    with zipfile.ZipFile(PYODIDE / "python_stdlib.zip") as archive:
        archive.extractall(to / "library", [name for name in archive.namelist() if not NOT_IN_LIBRARY.match(name)])
    for folder in (ROOT / "tfdsl", ROOT / "backends" / "tfdsl_backends", HERE / "tfdsl_playground"):
        copy(folder, packages / folder.name)
    for name in PACKAGES:
        copy(installed(name), packages / installed(name).name)
    with zipfile.ZipFile(wheel("pydantic-core")) as archive:
        archive.extractall(packages, [name for name in archive.namelist() if ".dist-info/" not in name])


def copy(source: Path, to: Path) -> None:
    """A file or folder, without what is for other platforms, for type checkers, or not needed."""
    for path in [source] if source.is_file() else sorted(source.rglob("*")):
        target = to / path.relative_to(source) if path != source else to
        inside = f"{target.relative_to(to.parent).as_posix()}/"
        left_out = any(inside.startswith(f"{name}/") for name in NOT_NEEDED)
        if path.is_file() and not left_out and path.suffix not in {".so", ".pyd", ".pyc", ".pyi", ".c"}:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def installed(name: str) -> Path:
    """The folder or file of an installed package."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        sys.exit(f"build.py: {name} is not installed")
    origin = Path(spec.origin)
    return origin.parent if spec.submodule_search_locations else origin


def wheel(name: str) -> Path:
    """The wheel of a package for the platform of Pyodide, checked against the hashes of requirements/base.txt."""
    version = importlib.metadata.version(name)
    stem = f"{name.replace('-', '_')}-{version}-"
    folder = WORK / "wheels"
    if not any(folder.glob(f"{stem}*wasm32.whl")):
        text = (ROOT / "requirements" / "base.txt").read_text(encoding="utf-8")
        locked = re.search(rf"^{name}=={re.escape(version)}[^\n]*\n(?: +--hash[^\n]*\n?)+", text, re.M)
        if locked is None:
            sys.exit(f"build.py: requirements/base.txt has no {name}=={version}")
        asked = WORK / f"{name}.txt"
        asked.write_text(re.sub(r" ; [^\\\n]*", "", locked[0]), encoding="utf-8")
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--no-deps")
        run(*pip, "--only-binary=:all:", "--require-hashes", *PLATFORM, "--python-version=3.14", f"--dest={folder}",
            f"--requirement={asked}")  # fmt: skip
    return next(folder.glob(f"{stem}*wasm32.whl"))


# --- compiling and packing -------------------------------------------------------------------------------------------


def compile_all(sources: Path) -> Path:
    """The files below ``sources`` with ``.pyc`` for ``.py``; those of an earlier build, if nothing is different."""
    to = WORK / "compiled"
    mark = WORK / "compiled.sha256"
    now = digest([*files(sources), HERE / "compile.mjs", PYODIDE / "package.json"])
    if not mark.exists() or mark.read_text(encoding="utf-8") != now:
        mark.unlink(missing_ok=True)
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir(parents=True)
        run("node", str(HERE / "compile.mjs"), str(sources), str(to))
        mark.write_text(now, encoding="utf-8")
    return to


def digest(paths: Iterable[Path]) -> str:
    """Of names and contents."""
    found = hashlib.sha256()
    for path in paths:
        data = path.read_bytes()
        found.update(f"{path.relative_to(ROOT)} {len(data)}\n".encode())
        found.update(data)
    return found.hexdigest()


def files(folder: Path) -> Iterator[Path]:
    """All files below ``folder``, in order."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def zipped(folder: Path) -> bytes:
    """A zip without compression: the whole of it is compressed, and Python reads it faster."""
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_STORED) as archive:
        for path in files(folder):
            archive.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes())
    return to.getvalue()


def pack(folder: Path) -> bytes:
    """One file of many, as pack.ts reads it."""
    paths = list(files(folder))
    table = json.dumps([[path.relative_to(folder).as_posix(), path.stat().st_size] for path in paths]).encode()
    return b"".join((struct.pack("<I", len(table)), table, *(path.read_bytes() for path in paths)))


def write_packed(path: Path, data: bytes) -> None:
    """Write ``data`` compressed, the same bytes for the same data."""
    path.write_bytes(gzip.compress(data, 9, mtime=0))


# --- the rest --------------------------------------------------------------------------------------------------------


def bundle(to: Path) -> None:
    """The worker as one module."""
    program = WORK / "worker.js"
    run(
        str(SITE / "node_modules" / ".bin" / "esbuild"),
        str(HERE / "worker.ts"),
        *("--bundle", "--format=esm", "--target=es2022", "--minify", "--legal-comments=none", "--log-level=warning"),
        *("--external:node:*", "--external:ws"),  # which Pyodide asks for where it is not in a browser
        f"--outfile={program}",
    )
    write_packed(to, program.read_bytes())


def catalogue() -> str:
    """``catalogue.json``, from the same package that is packed."""
    sys.path.insert(0, str(HERE))
    from tfdsl_playground.catalogue import catalogue as made

    return json.dumps(made(), ensure_ascii=False, separators=(",", ":"))


def licences() -> str:
    """The licences of what is packed, with their texts."""
    pyodide = json.loads((PYODIDE / "package.json").read_text(encoding="utf-8"))
    parts = [
        f"Pyodide {pyodide['version']} ({pyodide['license']})\n\nIts source: https://github.com/pyodide/pyodide. "
        "It contains CPython (PSF-2.0), whose source is at https://github.com/python/cpython.\n"
    ]
    for name in ("pydantic-core", *(name.replace("_", "-") for name in PACKAGES)):
        package = importlib.metadata.distribution(name)
        texts = [
            path.read_text(encoding="utf-8") for path in package.files or () if re.match(r"LICEN[CS]E", path.name, re.I)
        ]
        parts.append("\n".join([f"{package.name} {package.version}\n", *texts]))
    parts.append(f"tfdsl\n\n{(ROOT / 'LICENSE').read_text(encoding='utf-8')}")
    return f"\n{'-' * 80}\n\n".join(parts)


def run(*command: str) -> None:
    """Run a program in the folder of the site; if it fails, it has said why."""
    done = subprocess.run(command, cwd=SITE, check=False)
    if done.returncode:
        sys.exit(f"build.py: {os.path.basename(command[0])} ended with {done.returncode}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
