"""Prepare steps: what runs before the command of a task, in the same place as the command.

A step is started as the command would be, by a stand-in for the task whose role has the step's command.
"""

import copy

import task_command


def run_all(task, mounts):
    """Run the steps of the task one after the other; returns the status of the first that fails, else 0."""
    for step in task.role.get("steps") or ():
        task.log("prepare %s" % step["name"])
        stand_in = copy.copy(task)
        stand_in.role = role_of(task.role, step)
        docker = task_command.Docker(stand_in, mounts) if task.docker else None
        status = task.watch(docker or task_command.Native(stand_in), {}, step["name"])
        if docker:
            docker.clean()
        if status:
            task.log("prepare %s exited with status %d" % (step["name"], status))
            return status
    return 0


def role_of(role, step):
    """The role as if the step were its command, which gets no addresses."""
    changed = dict(role)
    changed.update(step)
    changed.update({"name": role["name"], "flags": False, "server": False, "tf_config": False})
    return changed
