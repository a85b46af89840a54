"""What happens when a task has ended: the job's policies, as the compiler has ordered them, the first match decides."""

EVERY = -1
"""The index of a rule that holds for every replica of its role."""

RESTARTS = ("restart container", "restart pod")


def on_exit(role, index, status):
    """The rule for a command that ended with ``status`` (not 0): ``{"action": ..., "limited": ...}``."""
    for rule in role["failures"]:
        if rule["index"] in (EVERY, index) and (not rule["codes"] or status in rule["codes"]):
            return rule
    return {"action": "fail job", "limited": True}


def on_loss(role, index, failed, evicted):
    """The action when containers of the role were lost before this one, or None when it just goes on."""
    for kind, count in (("failed", failed), ("evicted", evicted)):
        for rule in role["losses"][kind]:
            if count and rule["index"] in (EVERY, index):
                if rule["action"] in ("fail job", "abort job"):
                    return rule["action"]
                break
    return None


def on_restart(role, index, restarts):
    """The action in place of restart number ``restarts``, or None when it may go ahead."""
    for rule in role["restarted"]:
        if rule["index"] in (EVERY, index) and restarts >= rule["count"]:
            return rule["action"]
    return None


def on_pending(roles, absent, seconds):
    """The action when tasks have not shown up for ``seconds``: ``(task, action)``, or None."""
    for task in absent:
        name, _, rest = task.partition("[")
        for rule in roles[name]["pending"]:
            if rule["index"] in (EVERY, int(rest[:-1])) and seconds >= rule["seconds"]:
                return task, rule["action"]
    return None


def completes(job, role, index):
    """``"alone"`` when the success of this task completes the job, ``"all"`` when that of its role does, else None."""
    found = None
    for rule in job["completions"]:
        if rule["role"] == role["name"]:
            if rule["index"] == index or (rule["index"] == EVERY and role["replicas"] == 1):
                return "alone"
            if rule["index"] == EVERY:
                found = "all"
    return found
