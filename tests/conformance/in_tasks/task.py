"""What the tasks run instead of TensorFlow: writes down what it was given, reaches every peer, then does as told.

    task.py RECORDS ROLE INDEX [INSTRUCTION...] [-- WORD...] [--ps_hosts=... ...]

Instructions, in order:

    sleep=SECONDS     until=FILE        wait, or wait for a file
    serve             until somebody ends it
    only=INDEX        any other task of the role serves from here on
    exit=STATUS       once=STATUS       exit so, or exit so on the first try only
    die               kill the whole container, without a chance to say so
    alone             do not look for peers
    write=FILE:TEXT   copy=FILE         the copy goes into RECORDS
    eat=MB            of memory
    stubborn          pay no heed to SIGTERM

Words after ``--`` mean nothing.
"""

import contextlib
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
    name = f"{folder}/{role}-{index}"
    tries = 1
    while os.path.exists(f"{name}.{tries}.json"):
        tries += 1
    variables = {
        os.fsencode(key).decode("latin-1"): os.fsencode(value).decode("latin-1") for key, value in os.environ.items()
    }
    return {
        "path": f"{name}.{tries}.json",
        "role": role,
        "index": int(index),
        "try": tries,
        "pid": os.getpid(),
        "group": os.getpgid(0),
        "time": time.time(),
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
    """Answer on the task's own port with its own address as long as it lives; gives the set of those who have asked."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("", int(address.rpartition(":")[2])))
    server.listen(64)
    asked = set()

    def answer():
        while True:
            connection = server.accept()[0]
            asked.add(connection.recv(100).decode())
            connection.sendall(address.encode())
            connection.close()

    threading.Thread(target=answer, daemon=True).start()
    return asked


def reach(address, own):
    """Whether ``address`` is the task that it should be."""
    host, _, port = address.rpartition(":")
    for _ in range(150):
        try:
            connection = socket.create_connection((host, int(port)), timeout=5)
            connection.sendall(own.encode() or b"-")
            said = connection.recv(100).decode()
            connection.close()
            if said == address:
                return True
        except OSError:
            pass
        time.sleep(0.1)
    return False


def meet(addresses, own, record):
    """Reach everybody and be reached by everybody, as collective operations of a training do."""
    asked = listen(own) if own else set(addresses)
    missed = [address for address in addresses if not reach(address, own)]
    end = time.time() + 60
    while not missed and not asked.issuperset(addresses) and time.time() < end:
        time.sleep(0.05)
    write_down(record, reached=len(addresses) - len(missed), missed=missed)
    return not missed and asked.issuperset(addresses)


def do(instruction, record):
    """Follow one instruction."""
    name, _, value = instruction.partition("=")
    if name == "sleep":
        time.sleep(float(value))
    elif name == "until":
        while not os.path.exists(value):
            time.sleep(0.1)
    elif name == "eat":
        eaten = bytearray(os.urandom(1 << 20)) * int(value)
        time.sleep(60)
        del eaten
    elif name == "serve" or (name == "only" and record["index"] != int(value)):
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
    elif name == "play":
        play(value, record)
    elif name == "stubborn":
        signal.signal(signal.SIGTERM, lambda _number, _frame: write_down(record, asked=True))


def play(path, record):
    """Suffer the faults of this task, each once, one in each try at most; end well at last, if its turn comes."""
    name, folder, started = f"{record['role']}[{record['index']}]", os.path.dirname(record["path"]), time.time()
    with open(path) as file:
        plan = json.load(file)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(folder + "/begun", os.O_CREAT | os.O_EXCL))
    begun = os.path.getmtime(folder + "/begun")
    marks = [f"{folder}/{name}-fault-{number}" for number in range(len(plan["faults"].get(name, [])))]
    while True:
        time.sleep(0.05)
        now = time.time()
        for mark, fault in zip(marks, plan["faults"].get(name, []), strict=True):
            if not os.path.exists(mark) and now >= begun + fault["after"]:
                os.close(os.open(mark, os.O_CREAT))
                suffer(fault, record)
        turn = plan["turns"].get(name)
        if turn is not None and now >= max(begun + plan["end"], started + 3) + 1.5 * turn:
            write_down(record, ended=0)
            sys.exit(0)


def suffer(fault, record):
    if fault["what"] == "memory":
        do("eat=300", record)
    if fault["what"] == "evicted":
        do("die", record)
    write_down(record, ended=fault["status"])
    if fault["status"] > 128:
        os.kill(os.getpid(), fault["status"] - 128)
    sys.exit(fault["status"])


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
    if "alone" not in instructions and not meet(addresses, own, record):
        sys.exit(FOUND_NOBODY)
    for instruction in instructions:
        do(instruction, record)
    write_down(record, ended=0)


if __name__ == "__main__":
    main()
