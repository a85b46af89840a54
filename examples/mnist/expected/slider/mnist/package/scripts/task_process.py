"""Processes: starts one that outlives its parent, checks that it is alive, stops it with everything it started."""

import os
import signal
import subprocess
import time


def clock():
    """Seconds for waits within this process; setting the time of the node does not change them."""
    return time.monotonic() if hasattr(time, "monotonic") else os.times()[4]


def stat(pid):
    """The fields of /proc/PID/stat after the name; None if there is no such process, or no /proc."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as stream:
            text = stream.read()
    except (IOError, OSError):
        return None
    return text[text.rfind(b")") + 2 :].split()


def started(pid):
    """When the process started (clock ticks since boot), which distinguishes it from a later one with the same id."""
    fields = stat(pid)
    return int(fields[19]) if fields else 0


def running(pid):
    """Whether there is such a process and it is not a zombie."""
    fields = stat(pid)
    if fields is not None:
        return fields[0] not in (b"Z", b"X")
    if os.path.isdir("/proc/self"):
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def alive(record):
    """Whether the recorded process (id and start) is still running."""
    return record is not None and running(record["pid"]) and record["start"] in (0, started(record["pid"]))


def group_lives(pid):
    """Whether a process of the group is running; zombies do not count."""
    try:
        os.killpg(pid, 0)
    except OSError:
        return False
    if not os.path.isdir("/proc/self"):
        return True
    for name in os.listdir("/proc"):
        fields = stat(int(name)) if name.isdigit() else None
        if fields and int(fields[2]) == pid and fields[0] not in (b"Z", b"X"):
            return True
    return False


def detach(argv, log):
    """Start ``argv`` without a tie to this process: no terminal, no pipe, and its own process group.

    It stays in the session of the container, and exits when that ends. Its output is appended to ``log``.
    """
    with open(log, "ab") as output:
        with open(os.devnull, "rb") as nothing:
            return subprocess.Popen(
                argv, stdin=nothing, stdout=output, stderr=subprocess.STDOUT, close_fds=True, preexec_fn=own_group
            ).pid


def own_group():
    """Between fork and exec: set the process group, and the signals to what a new process expects."""
    os.setpgid(0, 0)
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def stop(record, grace):
    """Ask the recorded process to end, and kill its group after ``grace`` seconds. Returns when it is gone."""
    if record is None or not alive(record):
        return
    send(record["pid"], signal.SIGTERM, False)
    until = clock() + grace
    while alive(record) and clock() < until:
        time.sleep(0.1)
    if alive(record):
        send(record["pid"], signal.SIGKILL, True)


def end_group(record, grace):
    """Stop the rest of the group that the recorded process leads or led; kill it after ``grace`` seconds."""
    if running(record["pid"]) and not alive(record):
        return  # another process has the id now
    send(record["pid"], signal.SIGTERM, True)
    until = clock() + grace
    while group_lives(record["pid"]) and clock() < until:
        time.sleep(0.1)
    send(record["pid"], signal.SIGKILL, True)


def send(pid, what, group):
    """Send a signal to a process or its group; ignores one that is gone already."""
    try:
        if group:
            os.killpg(pid, what)
        else:
            os.kill(pid, what)
    except OSError:
        pass


def end(child, grace):
    """Stop a child and the process group that it leads; returns the child's status.

    The group as a whole gets the ``grace``: a shell that leads ``train | tee log`` ends first, while the training is
    still saving.
    """
    send(child.pid, signal.SIGTERM, True)
    until = clock() + grace
    while (child.poll() is None or group_lives(child.pid)) and clock() < until:
        time.sleep(0.1)
    send(child.pid, signal.SIGKILL, True)
    return status(child.wait())


def status(code):
    """The exit status as in a shell: 128 + the signal for a process that was killed."""
    return 128 - code if code < 0 else code


class Leader(object):
    """The first process of the container; once it is gone, YARN has ended the container."""

    def __init__(self):
        pid = os.getsid(0)
        known = running(pid) and pid != os.getpid()
        self.record = {"pid": pid, "start": started(pid)} if known else None

    def gone(self):
        """Whether the container has ended."""
        return self.record is not None and not alive(self.record)
