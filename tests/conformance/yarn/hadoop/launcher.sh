#!/usr/bin/env bash
# What bin/hadoop, bin/hdfs and bin/yarn of a Hadoop installation do, as far as jobs and their users call them. The
# file is installed under these three names; the jars are in lib/ beside bin/, which the registry has instead of
# scripts.
set -eu

home=$(dirname "$(dirname "$(readlink -f "$0")")")
conf=${HADOOP_CONF_DIR:-$home/etc/hadoop}
name=${1-}
[ $# -eq 0 ] || shift

java_class() {
  # A client lives for seconds only: the cheap compiler and the cheap collector.
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m --add-opens=java.base/java.lang=ALL-UNNAMED \
    -Dhadoop.root.logger="${HADOOP_ROOT_LOGGER:-WARN,console}" -cp "$conf:$home/lib/*" "$@"
}

case $name in
dfs) java_class org.apache.hadoop.fs.FsShell "$@" ;;
jar) java_class org.apache.hadoop.util.RunJar "$@" ;;
application | app | applicationattempt | container) java_class org.apache.hadoop.yarn.client.cli.ApplicationCLI "$name" "$@" ;;
logs) java_class org.apache.hadoop.yarn.client.cli.LogsCLI "$@" ;;
nodeattributes) java_class org.apache.hadoop.yarn.client.cli.NodeAttributesCLI "$@" ;;
classpath)
  case ${1-} in
  --glob)
    printf '%s' "$conf"
    printf ':%s' "$home"/lib/*.jar
    echo
    ;;
  *) printf '%s\n' "$conf:$home/lib/*" ;;
  esac
  ;;
*)
  echo "$(basename "$0"): this installation has dfs, jar, application, applicationattempt, container, logs, nodeattributes and classpath, not '$name'" >&2
  exit 1
  ;;
esac
