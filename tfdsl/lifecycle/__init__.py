"""How a job lives and ends: the executable meaning of policies, retries, completion and cleanup.

:class:`~tfdsl.lifecycle.machine.Machine` is driven by whoever has tasks to run or, in
:mod:`~tfdsl.lifecycle.scenario`, to imagine. It knows neither clock nor processes: time is part of each event, and it
asks for timers. What differs between the language and the targets is a :class:`~tfdsl.lifecycle.behaviour.Behaviour`.
"""
