"""The versions of Slurm. What the scripts use means the same in each of them."""

from __future__ import annotations

VERSIONS = ("22.05", "23.11", "24.11")
"""Known versions, the default last.

They differ in what the scripts do not rely on: whether ``srun`` fails when a node is lost (from 23.02 on; a replica's
own mark decides), whether CONT comes before TERM, and which variables tell the end of the allocation.
"""
