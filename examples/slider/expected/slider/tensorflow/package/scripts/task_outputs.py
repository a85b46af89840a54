"""Copies of files and folders after the command has ended."""

import os
import shutil

import task_hdfs
import task_marks
import task_settings


def copy_all(task, runtime, status):
    """Make the copies that are due when the command has ended with ``status``; gives the status of the task.

    A copy that fails after success makes it 74; after a failure the command's own status stays. ``None``: the command
    was stopped, which is neither success nor failure.
    """
    when = None if status is None else "success" if status == 0 else "failure"
    failed = False
    for number, output in enumerate(task.role["outputs"]):
        due = output["when"] == "always" or output["when"] == when
        if not due or output["index"] not in (-1, task.index):
            continue
        source, destination = task.text(output["source"]), task.text(output["destination"])
        task.log("copying %s to %s" % (source, destination))
        problem = copy(task, runtime, source, destination, bool(output.get("overwrite")), number)
        if problem:
            task.log("could not copy %s: %s" % (source, problem))
            failed = True
    return 74 if failed and status == 0 else status


def copy(task, runtime, source, destination, overwrite, number):
    """One copy; gives what went wrong, or None."""
    folder = os.path.join(task.work, ".outputs", str(number))
    try:
        task_settings.remove(folder)
        os.makedirs(folder)
        found = runtime.fetch(source, os.path.join(folder, "from"))
        if found is None or not os.path.exists(found):
            return "it is not there"
        if destination.startswith("hdfs://"):
            return task_hdfs.put(found, destination, overwrite, task, folder)
        return to_folder(found, runtime.on_node(destination), overwrite, task)
    except (IOError, OSError, shutil.Error) as error:
        return str(error)
    finally:
        shutil.rmtree(folder, True)


def to_folder(source, destination, overwrite, task):
    """Copy on the node: written beside under a name of its own, then renamed."""
    destination, mark = destination.rstrip("/"), task.settings["container"]
    beside, old = "%s.%s.part" % (destination, mark), "%s.%s.old" % (destination, mark)
    if os.path.lexists(old) and not os.path.lexists(destination):
        os.rename(old, destination)  # an earlier try was ended between its two renames: this is all that there is
    if os.path.lexists(destination) and not overwrite and not copied(task, destination):
        return "%s is there already" % destination
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
    if os.path.isdir(beside) or os.path.isdir(destination):  # a rename replaces files only
        task_settings.remove(old)
        if os.path.lexists(destination):
            os.rename(destination, old)
    os.rename(beside, destination)
    task_settings.remove(old)
    return None


def copied(task, destination):
    """Whether an earlier try of this very task has copied it there."""
    return task_marks.own(task, destination, task_marks.of_path(destination), task_marks.identity(destination))
