"""The command ``tfdsl``: find the command, run it, and turn every ending into an exit status.

0 no errors, 1 errors in the input, 2 wrong use or a file that cannot be read or written, 70 a bug (language reference,
"Diagnostics"). As a shell reports them: 130 interrupted, 129 and 143 ended by a signal while writing files, 141 the
reader of the output has gone.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from tfdsl.cli.commands import SUMMARIES, overview
from tfdsl.cli.streams import Ended, OutputFailed, choose_colour, columns, err, forget, out

TYPE_CHECKING = False  # spares ``--help`` and ``--version`` the import of typing
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from tfdsl.cli.arguments import Arguments
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.text import Span

USAGE, BUG, INTERRUPTED, NO_READER = 2, 70, 130, 141
_RARELY = (100_000, 10, 10)
"""Thresholds of garbage collection. A small job makes 65,000 objects that are needed until the end, and looking for
unused ones among them costs 7 % of its compilation."""


def program() -> NoReturn:
    """Run the command line of this process and end the process. Callers who go on call :func:`main`.

    When :func:`main` returns, everything is written, closed and removed. So the interpreter is not taken down piece by
    piece, which costs an eighth of a small compilation, unless something waits for that.
    """
    gc.set_threshold(*_RARELY)
    status = main()
    if _nothing_waits_for_the_end():
        os._exit(status)
    sys.exit(status)


def _nothing_waits_for_the_end() -> bool:
    """Whether nothing is called, waited for or looked at when the interpreter ends, and the streams are flushed."""
    asked = atexit._ncallbacks()  # pyright: ignore[reportPrivateUsage]  (there is no public way to ask)
    if asked or sys.flags.inspect or sys.flags.dev_mode:
        return False
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        return False
    monitoring = getattr(sys, "monitoring", None)  # what profilers use since Python 3.12
    if sys.gettrace() or sys.getprofile() or (monitoring and any(map(monitoring.get_tool, range(6)))):
        return False
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):  # the interpreter fails in the same way, and reports it
        return False
    return True


def main(words: Sequence[str] | None = None) -> int:
    """Run one command line (without the program's name); returns the exit status."""
    words = sys.argv[1:] if words is None else words
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # saves a search through all installed packages
    try:
        return _run(list(words))
    except Ended as ending:
        return ending.status
    except BrokenPipeError:
        forget(sys.stdout)
        return NO_READER
    except OutputFailed as failure:
        forget(sys.stdout)
        err(f"tfdsl: cannot write to standard output: {failure}\n")
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # the last line of defence: a bug is one line, not a page
        return _bug(words, error)


def _run(words: list[str]) -> int:
    if not words:
        err(overview(columns(sys.stderr)))
        return USAGE
    if words[0] in ("-h", "--help", "help") and len(words) == 1:
        out(overview(columns(sys.stdout)))
        return 0
    if words[0] in ("-V", "--version") and len(words) == 1:
        from tfdsl import __version__

        out(f"tfdsl {__version__}\n")
        return 0
    return _command([words[1], "--help"] if words[0] in ("-h", "--help", "help") else words)


def _command(words: list[str]) -> int:
    from tfdsl.cli.arguments import COLOUR, command_help, command_line, load, parse

    name = words[0]
    _, spans = command_line(words)
    if name not in SUMMARIES:
        _refuse(words, [_unknown_command(name, spans[0])], None)
    module = load(name)
    arguments = parse(module.COMMAND, words[1:], spans[1:], spans[0])
    choose_colour(arguments.text(COLOUR.name, "auto"))
    if arguments.help:
        out(command_help(module.COMMAND, columns(sys.stdout)))
        return 0
    _refuse(words, arguments.errors, arguments)
    return module.run(arguments)


def _unknown_command(name: str, place: Span) -> Diagnostic:
    from tfdsl.diagnostics.command_rules import UNKNOWN_COMMAND, UNKNOWN_FLAG
    from tfdsl.diagnostics.suggest import closest

    if name.startswith("-") and name != "-":
        near = "--version" if name in ("-v", "-version") else closest(name, ("--help", "--version"))
        error = UNKNOWN_FLAG(place, name=name)
        return error.help(f"did you mean {near}?" if near else "options come after the command: tfdsl COMMAND OPTION")
    near = "--version" if name == "version" else closest(name, SUMMARIES)
    error = UNKNOWN_COMMAND(place, name=name)
    return error.help(f"did you mean {near}?" if near else f"the commands are {', '.join(SUMMARIES)}")


def _refuse(words: Sequence[str], errors: list[Diagnostic], arguments: Arguments | None) -> None:
    if errors:
        from tfdsl.cli.report import asked_format, refuse
        from tfdsl.compiling.masking import hidden_in

        refuse(errors, arguments, asked_format(words), hidden_in(words))


def _bug(words: Sequence[str], error: Exception) -> int:
    if os.environ.get("TFDSL_DEBUG"):
        import traceback

        traceback.print_exc()
        return BUG
    from tfdsl.cli.report import asked_format, internal_error

    internal_error(error, words, asked_format(words))
    return BUG


if __name__ == "__main__":
    program()
