"""Text that has to get through a shell or through Kubernetes unchanged."""

from __future__ import annotations

from typing import Final

from tfdsl.patterns import regex

_BARE: Final = regex(r"(?:[A-Za-z0-9_@%+:,./][A-Za-z0-9_@%+:,./-]*|-[A-Za-z0-9_@%+:,./=-]*)\Z")
_RESERVED: Final = regex(r"(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|select|time|coproc)\Z")
"""Words that the shell itself reads where a command starts (POSIX.1 XCU 2.4, and bash's own)."""

_EXPANDABLE: Final = regex(r"\$(?=[$(]|[^\x00-\x7f]|\Z)")


def quote(text: str) -> str:
    r"""``text`` as one word of a POSIX shell (dash, bash, busybox), byte for byte.

    A word of harmless characters stays bare, others are put in single quotes, in which only ``'`` itself has a meaning.
    ``NAME=value`` and reserved words are quoted too, since in front they would not be a command. Raises ``ValueError``
    for a NUL, which no argument of a process can hold.
    """
    if "\0" in text:
        raise ValueError("an argument of a process cannot hold a NUL character")
    if _BARE.match(text) and not _RESERVED.match(text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def escape_expansion(text: str) -> str:
    r"""``text`` for a place in which Kubernetes expands ``$(NAME)``: command, args, env values, ``subPathExpr``.

    There ``$(NAME)`` is a reference, ``$$`` is one ``$``, and any other ``$`` is itself (third_party/forked/golang/
    expansion/expand.go). Two traps: the character after a lone ``$`` is copied as one *byte*, so ``$é`` arrives
    damaged; and a ``$`` at the end would join with a ``$(NAME)`` written after it. Each ``$`` that could be read
    otherwise is doubled, so the result may be joined with references on both sides.
    """
    return _EXPANDABLE.sub("$$", text) if "$" in text else text


# --- server program ---
#
# What a ``server`` role runs instead of the command.

TENSORFLOW_SERVER = """\
import json, os, signal, sys, threading
signal.signal(signal.SIGTERM, lambda *ignored: os._exit(143))
import tensorflow as tf
config = json.loads(os.environ["TF_CONFIG"])
task = config["task"]
new = getattr(getattr(tf, "distribute", None), "Server", None)
server = (new or tf.train.Server)(
    tf.train.ClusterSpec(config["cluster"]), job_name=task["type"], task_index=task["index"], protocol=sys.argv[1])
thread = threading.Thread(target=server.join)
thread.daemon = True
thread.start()
while thread.is_alive():
    thread.join(1)
"""
"""``python -c`` program of a ``server`` role: a TensorFlow server of the task in TF_CONFIG, joined.

Python 2.7 and 3, TensorFlow 1 (``tf.train.Server``) and 2 (``tf.distribute.Server``). The server is joined in a thread:
``join`` never returns from C++, and SIGTERM has no effect on process 1 without a handler, which runs only while the
main thread is in Python.
"""
