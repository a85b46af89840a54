"""Processes: start one that is left behind, know whether it is alive, stop it with all that it started."""

import os
import signal
import subprocess
import time


def clock():
    """Seconds for waits within this process: they do not jump when somebody sets the time of the node."""
    return time.monotonic() if hasattr(time, "monotonic") else os.times()[4]


def stat(pid):
    """The fields of /proc/PID/stat after the name, or None: no such process, or no /proc."""
    try:
        stream = open("/proc/%d/stat" % pid, "rb")
        try:
            text = stream.read()
        finally:
            stream.close()
    except (IOError, OSError):
        return None
    return text[text.rfind(b")") + 2 :].split()


def started(pid):
    """When the process was started (clock ticks since boot), to tell it from a later one of the same id."""
    fields = stat(pid)
    return int(fields[19]) if fields else 0


def running(pid):
    """Whether there is such a process and it is not a dead one that nobody has waited for."""
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


def alive(noted):
    """Whether the noted process (id and start) is still running."""
    return bool(noted) and running(noted["pid"]) and noted["start"] in (0, started(noted["pid"]))


def group_lives(pid):
    """Whether anything of the process group is running; a zombie that nobody waits for is not."""
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
    """Start ``argv`` so that nothing ties it to this process: no terminal, no pipe, a process group of its own.

    It stays in the session of the container, whose end it watches. Its output is appended to ``log``.
    """
    output = open(log, "ab")
    nothing = open(os.devnull, "rb")
    try:
        return subprocess.Popen(
            argv, stdin=nothing, stdout=output, stderr=subprocess.STDOUT, close_fds=True, preexec_fn=own_group
        ).pid
    finally:
        output.close()
        nothing.close()


def own_group():
    """Between fork and exec: a process group of its own, signals as a new process expects them."""
    os.setpgid(0, 0)
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def stop(noted, grace):
    """Ask the noted process to end; kill its group after ``grace`` seconds. Returns when it is gone."""
    if not alive(noted):
        return
    send(noted["pid"], signal.SIGTERM, False)
    until = clock() + grace
    while alive(noted) and clock() < until:
        time.sleep(0.1)
    if alive(noted):
        send(noted["pid"], signal.SIGKILL, True)


def end_group(noted, grace):
    """Stop what is left of the group that the noted process leads or led; kill it after ``grace`` seconds."""
    if running(noted["pid"]) and not alive(noted):
        return  # the id is that of another process now
    send(noted["pid"], signal.SIGTERM, True)
    until = clock() + grace
    while group_lives(noted["pid"]) and clock() < until:
        time.sleep(0.1)
    send(noted["pid"], signal.SIGKILL, True)


def send(pid, what, group):
    """Send a signal to a process or to its group; that it is gone already is no error."""
    try:
        if group:
            os.killpg(pid, what)
        else:
            os.kill(pid, what)
    except OSError:
        pass


def end(child, grace):
    """Stop a child that leads a process group, and all of the group; gives the child's status.

    A shell that leads ``train | tee log`` goes first, while the training still saves: the time is the group's.
    """
    send(child.pid, signal.SIGTERM, True)
    until = clock() + grace
    while (child.poll() is None or group_lives(child.pid)) and clock() < until:
        time.sleep(0.1)
    send(child.pid, signal.SIGKILL, True)
    return status(child.wait())


def status(code):
    """The exit status as a shell gives it: 128 + the signal for a process that was killed."""
    return 128 - code if code < 0 else code


class Leader(object):
    """The first process of the container: when it is gone, YARN has ended the container."""

    def __init__(self):
        pid = os.getsid(0)
        self.noted = {"pid": pid, "start": started(pid)} if running(pid) and pid != os.getpid() else None

    def gone(self):
        """Whether the container has ended around us."""
        return self.noted is not None and not alive(self.noted)
