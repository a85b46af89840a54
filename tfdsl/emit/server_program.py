"""What a ``server`` role runs instead of the command."""

from __future__ import annotations

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
