"""Patches of the objects that the family writes: what may not be patched, and what the API server would refuse."""
