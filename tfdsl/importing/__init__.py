"""From a manifest to the text of a job: what a target reads is written, compiled and compared with the manifest."""
