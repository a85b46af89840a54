"""The lines of a Dockerfile that make ``hdfs://`` work in TensorFlow.

TensorFlow loads ``libhdfs.so`` from ``HADOOP_HDFS_HOME`` and ``libjvm.so`` from ``LD_LIBRARY_PATH``; the JVM inside
then takes its class path from ``CLASSPATH`` **without expanding wildcards**. The usual recipe,
``CLASSPATH=$(hadoop classpath --glob)``, has to run in the container, and neither ``ENV`` (runs nothing) nor an
entrypoint (Kubernetes' ``command`` and YARN replace it) can do that. But the list is fixed once the client is
unpacked: ``hadoop classpath --jar`` (Hadoop 2.6 and later) writes it into the manifest of one small jar while the
image is built. ``CLASSPATH`` is then a constant, and the entrypoint stays the user's.
"""

from __future__ import annotations

from typing import Final

_TEMPLATE: Final = r"""# Hadoop client for hdfs://. The base image has to be Debian or Ubuntu.
ARG HADOOP_MIRROR=https://archive.apache.org/dist
ARG HADOOP_JDK=@JDK@
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates curl "$HADOOP_JDK" \
    && rm -rf /var/lib/apt/lists/* \
    && curl -fsSL -o /tmp/hadoop.tar.gz "$HADOOP_MIRROR/hadoop/common/hadoop-@VERSION@/hadoop-@VERSION@.tar.gz" \
    && mkdir -p /opt/hadoop \
    && tar -xzf /tmp/hadoop.tar.gz -C /opt/hadoop --strip-components=1 --exclude='hadoop-@VERSION@/share/doc' \
    && rm /tmp/hadoop.tar.gz \
    && ln -s "$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")" /opt/java \
    && ln -s "$(dirname "$(find /opt/java/ -path '*/server/libjvm.so' | head -n 1)")" /opt/jvm \
    && test -e /opt/jvm/libjvm.so \
    && test -e /opt/hadoop/lib/native/libhdfs.so \
    && JAVA_HOME=/opt/java /opt/hadoop/bin/hadoop classpath --jar /opt/hadoop/classpath.jar
ENV JAVA_HOME=/opt/java \
    HADOOP_HOME=/opt/hadoop \
    HADOOP_HDFS_HOME=/opt/hadoop \
    CLASSPATH=/opt/hadoop/etc/hadoop:/opt/hadoop/classpath.jar \
    LD_LIBRARY_PATH=/opt/hadoop/lib/native:/opt/jvm${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    PATH=$PATH:/opt/hadoop/bin"""


def hadoop_lines(version: str) -> str:
    """The instructions for Hadoop ``version``; Hadoop 2 needs Java 8, Hadoop 3 takes the distribution's own."""
    jdk = "openjdk-8-jdk-headless" if version.startswith("2.") else "default-jdk-headless"
    return _TEMPLATE.replace("@JDK@", jdk).replace("@VERSION@", version)
