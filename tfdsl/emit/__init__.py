"""From document data to bytes: YAML, JSON, XML, shell, Dockerfiles, scripts, and the map back to the source."""
