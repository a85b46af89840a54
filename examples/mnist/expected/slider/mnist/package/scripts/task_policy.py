"""The job's policies: what happens when a task has ended. The first match decides, in the order of the compiler."""

EVERY = -1
"""The index of a rule for every replica of its role."""

RESTARTS = ("restart container", "restart pod")


def on_exit(role, index, status):
    """The rule for a command that ended with ``status`` (not 0): ``{"action": ..., "limited": ...}``."""
    rules = role["failures"]
    for rule in rules:
        if rule["index"] in (EVERY, index) and (not rule["codes"] or status in rule["codes"]):
            return rule
    return {"action": "fail job", "limited": True}


def on_loss(role, index, failed, evicted):
    """The action if containers of the role were lost before this one; None to go on."""
    for kind, count in (("failed", failed), ("evicted", evicted)):
        for rule in role["losses"][kind]:
            if count and rule["index"] in (EVERY, index):
                if rule["action"] in ("fail job", "abort job"):
                    return str(rule["action"])
                break
    return None


def on_restart(role, index, restarts):
    """The action in place of restart number ``restarts``; None to restart."""
    for rule in role["restarted"]:
        if rule["index"] in (EVERY, index) and restarts >= rule["count"]:
            return str(rule["action"])
    return None


def on_pending(roles, absent, seconds):
    """The action when tasks have been missing for ``seconds``: ``(task, action)``, or None."""
    for task in absent:
        name, _, rest = task.partition("[")
        for rule in roles[name]["pending"]:
            if rule["index"] in (EVERY, int(rest[:-1])) and seconds >= rule["seconds"]:
                return task, rule["action"]
    return None


def completes(job, role, index):
    """``"alone"`` if the success of this task completes the job, ``"all"`` if that of its role does, else None."""
    deciding = None
    for rule in job["completions"]:
        if rule["role"] == role["name"]:
            if rule["index"] == index or (rule["index"] == EVERY and role["replicas"] == 1):
                return "alone"
            if rule["index"] == EVERY:
                deciding = "all"
    return deciding
