"""Patches: changes to the finished documents of a target."""
