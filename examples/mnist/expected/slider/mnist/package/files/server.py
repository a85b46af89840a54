"""A plain TensorFlow server for this task, built from TF_CONFIG; it serves until it is stopped.

For roles with ``server = true``: a client (in-graph replication, or a coordinator of TensorFlow 2) does the training.
Runs with the Python of the image or the node that has TensorFlow, version 1 or 2.
"""

import json
import os
import signal
import sys
import threading


def serve(protocol):
    """Serve the task that TF_CONFIG names."""
    tensorflow = __import__("tensorflow")
    config = json.loads(os.environ["TF_CONFIG"])
    task = config["task"]
    kind = getattr(getattr(tensorflow, "distribute", None), "Server", None) or tensorflow.train.Server
    spec = tensorflow.train.ClusterSpec(config["cluster"])
    server = kind(spec, job_name=task["type"], task_index=task["index"], protocol=protocol)
    server.join()


def main():
    """Serve in a thread: ``join`` never returns to Python, and only Python would notice a signal."""
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(0))
    thread = threading.Thread(target=serve, args=(sys.argv[1],))
    thread.daemon = True
    thread.start()
    while thread.is_alive():
        thread.join(1)
    sys.exit(1)


if __name__ == "__main__":
    main()
