"""How a job lives and ends: the executable meaning of policies, retries, completion and cleanup.

``tfdsl run`` drives :class:`~tfdsl.lifecycle.machine.Machine` with processes, ``tfdsl simulate`` with a scenario. The
machine knows neither clock nor processes: time is part of each event, and it asks for timers. What differs between the
language and the targets is a :class:`~tfdsl.lifecycle.behaviour.Behaviour`.
"""
