"""What the tasks run instead of TensorFlow: writes down what it was given, reaches every peer, then does as told.

    task.py RECORDS ROLE INDEX [INSTRUCTION...] [-- WORD...] [--ps_hosts=... ...]

Instructions, in order: ``sleep=SECONDS``, ``serve`` (until somebody ends it), ``exit=STATUS``, ``once=STATUS`` (exit so
on the first try only), ``die`` (kill the whole container, without a chance to say so), ``alone`` (do not look for
peers), ``write=FILE:TEXT``, ``copy=FILE`` (into RECORDS), ``stubborn`` (pay no heed to SIGTERM). Words after ``--`` mean nothing.
"""

import json
import os
import shutil
import signal
import socket
import sys
import threading
import time

FOUND_NOBODY = 40


def write_down(record, **more):
    record.update(more)
    with open(record["path"] + ".part", "w") as file:
        json.dump(record, file)
    os.rename(record["path"] + ".part", record["path"])


def record_of(folder, role, index):
    """A new record; the number of the try is in its name."""
    name = "%s/%s-%s" % (folder, role, index)
    tries = 1
    while os.path.exists("%s.%d.json" % (name, tries)):
        tries += 1
    variables = {
        os.fsencode(key).decode("latin-1"): os.fsencode(value).decode("latin-1") for key, value in os.environ.items()
    }
    return {
        "path": "%s.%d.json" % (name, tries),
        "role": role,
        "index": int(index),
        "try": tries,
        "pid": os.getpid(),
        "session": os.getsid(0),
        "folder": os.getcwd(),
        "words": [os.fsencode(word).decode("latin-1") for word in sys.argv[4:]],
        "environment": variables,
        "files": sorted(os.listdir(".")),
    }


def cluster():
    """Every address, and this task's own, from TF_CONFIG or else from the flags; none where there are neither."""
    if "TF_CONFIG" in os.environ:
        config = json.loads(os.environ["TF_CONFIG"])
        kind, index = config["task"]["type"], config["task"]["index"]
        members = config["cluster"]
    else:
        flags = dict(word[2:].split("=", 1) for word in sys.argv if word.startswith("--") and "=" in word)
        if "job_name" not in flags:
            return [], ""
        kind, index = flags["job_name"], int(flags["task_index"])
        members = {name: flags[name + "_hosts"].split(",") for name in ("ps", "worker") if flags[name + "_hosts"]}
    own = members[kind][index] if kind in members else ""
    return [address for addresses in members.values() for address in addresses], own


def listen(address):
    """Answer on the task's own port with its own address, as long as it lives."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("", int(address.rpartition(":")[2])))
    server.listen(64)

    def answer():
        while True:
            connection = server.accept()[0]
            connection.sendall(address.encode())
            connection.close()

    threading.Thread(target=answer, daemon=True).start()


def reach(address):
    """Whether ``address`` is the task that it should be."""
    host, _, port = address.rpartition(":")
    for _ in range(150):
        try:
            connection = socket.create_connection((host, int(port)), timeout=5)
            said = connection.recv(100).decode()
            connection.close()
            if said == address:
                return True
        except OSError:
            pass
        time.sleep(0.1)
    return False


def do(instruction, record):
    """Follow one instruction."""
    name, _, value = instruction.partition("=")
    if name == "sleep":
        time.sleep(float(value))
    elif name == "serve":
        while True:
            time.sleep(60)
    elif name == "exit" or (name == "once" and record["try"] == 1):
        write_down(record, ended=int(value))
        sys.exit(int(value))
    elif name == "die":
        os.killpg(os.getpgid(0), signal.SIGKILL)
    elif name == "write":
        path, _, text = value.partition(":")
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    elif name == "copy":
        shutil.copy(value, os.path.dirname(record["path"]))
    elif name == "stubborn":
        signal.signal(signal.SIGTERM, lambda _number, _frame: write_down(record, asked=True))


def terminated(record):
    def on_term(_number, _frame):
        write_down(record, ended="SIGTERM")
        sys.exit(143)

    signal.signal(signal.SIGTERM, on_term)


def main():
    folder, role, index = sys.argv[1:4]
    record = record_of(folder, role, index)
    instructions = []
    for word in sys.argv[4:]:
        if word.startswith("--"):
            break
        instructions.append(word)
    terminated(record)
    addresses, own = cluster()
    write_down(record, own=own)
    if own:
        listen(own)
    missed = [] if "alone" in instructions else [address for address in addresses if not reach(address)]
    write_down(record, reached=len(addresses) - len(missed), missed=missed)
    if missed:
        sys.exit(FOUND_NOBODY)
    for instruction in instructions:
        do(instruction, record)
    write_down(record, ended=0)


if __name__ == "__main__":
    main()
