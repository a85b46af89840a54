"""The targets that come with tfdsl, a package each, and what the Kubernetes family shares."""
