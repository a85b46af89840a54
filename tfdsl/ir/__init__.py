"""The intermediate representation: what a job means for one target, as frozen, validated data."""
