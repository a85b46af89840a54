"""Copies the outputs of a task after its command has ended."""

import os
import shutil

from tfdsl_backends.hadoop.programs.files import remove
from tfdsl_backends.hadoop.programs.hdfs import put
from tfdsl_backends.hadoop.programs.marks import Copies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdsl_backends.slider.programs.task_command import Docker, Native
    from tfdsl_backends.slider.programs.task_supervisor import Supervisor


def copy_all(task, runtime, status):
    # type: (Supervisor, Native | Docker, int | None) -> bool
    """Copy the outputs that are due after the command has ended with ``status``; false if a copy fails.

    ``None``: the command was stopped, which is neither success nor failure.
    """
    when = None if status is None else "success" if status == 0 else "failure"
    complete = True
    for number, output in enumerate(task.role["outputs"]):
        due = output["when"] == "always" or output["when"] == when
        if not due or output["index"] not in (-1, task.index):
            continue
        source, destination = task.text(output["source"]), task.text(output["destination"])
        task.log("copying %s to %s" % (source, destination))
        problem = copy(task, runtime, source, destination, bool(output.get("overwrite")), number)
        if problem:
            task.log("could not copy %s: %s" % (source, problem))
            complete = False
    return complete


def copy(task, runtime, source, destination, overwrite, number):
    # type: (Supervisor, Native | Docker, str, str, bool, int) -> str | None
    """Copy one output; returns the error, or None."""
    folder = os.path.join(task.work, ".outputs", str(number))
    try:
        remove(folder)
        os.makedirs(folder)
        path = runtime.fetch(source, os.path.join(folder, "from"))
        if path is None or not os.path.exists(path):
            return "it does not exist"
        if destination.startswith("hdfs://"):
            put(task.hdfs(), path, destination, overwrite, task.settings["container"], copies_of(task))
            return None
        return to_folder(path, runtime.on_node(destination), overwrite, task)
    except (IOError, OSError, shutil.Error) as error:
        return str(error)
    finally:
        shutil.rmtree(folder, True)


def to_folder(source, destination, overwrite, task):
    # type: (str, str | None, bool, Supervisor) -> str | None
    """Copy on the node, under a temporary name that is then renamed; returns the error, or None."""
    if destination is None:
        return "no mount holds the destination"
    destination, mark = destination.rstrip("/"), task.settings["container"]
    beside, old = "%s.%s.part" % (destination, mark), "%s.%s.old" % (destination, mark)
    if os.path.lexists(old) and not os.path.lexists(destination):
        os.rename(old, destination)  # the only copy: an earlier attempt ended between its two renames
    if os.path.lexists(destination) and not overwrite and not copies_of(task).is_own_path(destination):
        return "%s already exists" % destination
    parent = os.path.dirname(destination)
    if not os.path.isdir(parent):
        os.makedirs(parent)
    remove(beside)
    try:
        if os.path.isdir(source):
            shutil.copytree(source, beside, True)
        else:
            shutil.copy2(source, beside)
        if not overwrite:
            copies_of(task).mark_path(beside, destination)
    except (IOError, OSError, shutil.Error):
        remove(beside)
        raise
    if os.path.isdir(beside) or os.path.isdir(destination):  # a rename replaces only files
        remove(old)
        if os.path.lexists(destination):
            os.rename(destination, old)
    os.rename(beside, destination)
    remove(old)
    return None


def copies_of(task):
    # type: (Supervisor) -> Copies
    """The copies that this task makes."""
    return Copies(task.who, os.path.join(task.settings["run_dir"], "copied.json"))
