"""Copies the outputs of a task after its command has ended."""

import os
import shutil

import task_hdfs
import task_marks
import task_settings


def copy_all(task, runtime, status):
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
    """Copy one output; returns the error, or None."""
    folder = os.path.join(task.work, ".outputs", str(number))
    try:
        task_settings.remove(folder)
        os.makedirs(folder)
        path = runtime.fetch(source, os.path.join(folder, "from"))
        if path is None or not os.path.exists(path):
            return "it does not exist"
        if destination.startswith("hdfs://"):
            return task_hdfs.put(path, destination, overwrite, task, folder)
        return to_folder(path, runtime.on_node(destination), overwrite, task)
    except (IOError, OSError, shutil.Error) as error:
        return str(error)
    finally:
        shutil.rmtree(folder, True)


def to_folder(source, destination, overwrite, task):
    """Copy on the node, under a temporary name that is then renamed; returns the error, or None."""
    if destination is None:
        return "no mount holds the destination"
    destination, mark = destination.rstrip("/"), task.settings["container"]
    beside, old = "%s.%s.part" % (destination, mark), "%s.%s.old" % (destination, mark)
    if os.path.lexists(old) and not os.path.lexists(destination):
        os.rename(old, destination)  # the only copy: an earlier attempt ended between its two renames
    if os.path.lexists(destination) and not overwrite and not copied(task, destination):
        return "%s already exists" % destination
    parent = os.path.dirname(destination)
    if not os.path.isdir(parent):
        os.makedirs(parent)
    task_settings.remove(beside)
    try:
        if os.path.isdir(source):
            shutil.copytree(source, beside, True)
        else:
            shutil.copy2(source, beside)
        if not overwrite and not task_marks.set_path(beside, task.who):
            task_marks.remember(task, destination, task_marks.identity(beside))
    except (IOError, OSError, shutil.Error):
        task_settings.remove(beside)
        raise
    if os.path.isdir(beside) or os.path.isdir(destination):  # a rename replaces only files
        task_settings.remove(old)
        if os.path.lexists(destination):
            os.rename(destination, old)
    os.rename(beside, destination)
    task_settings.remove(old)
    return None


def copied(task, destination):
    """Whether an earlier attempt of this task made the copy at ``destination``."""
    return task_marks.own(task, destination, task_marks.of_path(destination), task_marks.identity(destination))
