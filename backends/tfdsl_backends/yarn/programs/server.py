"""A plain TensorFlow server, for roles with ``server = true``."""

from __future__ import print_function

import importlib
import json
import os
import signal
import threading


def serve(protocol, environ):
    # type: (str, dict[str, str]) -> int
    """Run the server of the task in TF_CONFIG and join it; TensorFlow 1 and 2."""
    tensorflow = importlib.import_module("tensorflow")
    signal.signal(signal.SIGTERM, lambda _number, _frame: os._exit(143))
    config = json.loads(environ["TF_CONFIG"])
    task = config["task"]
    new = getattr(getattr(tensorflow, "distribute", None), "Server", None)
    server = (new or tensorflow.train.Server)(
        tensorflow.train.ClusterSpec(config["cluster"]),
        job_name=str(task["type"]),
        task_index=int(task["index"]),
        protocol=protocol,
    )
    # join never returns from C++, and the main thread notices a signal only while it runs Python.
    thread = threading.Thread(target=server.join)
    thread.daemon = True
    thread.start()
    while thread.is_alive():
        thread.join(1)
    return 0
