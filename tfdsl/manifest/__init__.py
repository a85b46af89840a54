"""Documents that people have, YAML, JSON or XML, read with the place of each value."""
