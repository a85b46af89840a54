"""The way to a file or folder. The compiler uses it too, to leave out what a job does not need."""

from __future__ import print_function


def way_of(place, webhdfs):
    # type: (str, str) -> str
    """Over http, over WebHDFS where its address is known, with the Hadoop client, or as a path of the node."""
    if place.startswith(("http://", "https://")):
        return "http"
    if place.startswith("hdfs:") and webhdfs:
        return "webhdfs"
    return "client" if "://" in place or place.startswith("hdfs:") else "path"
