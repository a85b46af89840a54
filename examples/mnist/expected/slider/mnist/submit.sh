#!/bin/sh
# Creates and starts the Slider application of this folder. Needs the Slider client of the cluster.
#
#   ./submit.sh [--print] [further options of slider create ...]
#
# --print shows what would be done. The client is SLIDER, else SLIDER_HOME/bin/slider, else slider on the PATH.
# The exit status is that of slider create.
set -eu

name=mnist
here=$(dirname -- "$(readlink -f -- "$0")") # also when it is called through a link
from=$(pwd)
print=no
if [ "${1-}" = --print ]; then
  print=yes
  shift
fi
if [ "${1-}" = --help ] || [ "${1-}" = -h ]; then
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
  exit 0
fi

if [ -z "${SLIDER-}" ]; then
  SLIDER=slider
  if [ -n "${SLIDER_HOME-}" ]; then SLIDER=$SLIDER_HOME/bin/slider; fi
fi
if [ "$print" = no ] && ! command -v "$SLIDER" >/dev/null 2>&1; then
  echo "submit.sh: cannot find the Slider client $SLIDER" >&2
  echo "submit.sh: put slider on the PATH, or set SLIDER_HOME to the folder where Slider is installed" >&2
  exit 127
fi

# Quote a word for a shell.
word() {
  printf '%s' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"
}

# Run a command, or show it with --print.
run() {
  if [ "$print" = no ]; then
    "$@"
    return
  fi
  line=
  for each; do line="$line $(word "$each")"; done
  printf '%s\n' "${line# }"
}

# Add a file or folder to the package; its path starts from the folder of the call.
send() {
  case $1 in
    /*) source=$1 ;;
    *) source=$from/$1 ;;
  esac
  if [ "$print" = no ] && [ ! -e "$source" ]; then
    echo "submit.sh: $source does not exist, and the job needs it in the package" >&2
    exit 1
  fi
  run mkdir -p "$stage/package/files/$(dirname "./$2")"
  run cp -R "$source" "$stage/package/files/$2"
}

# slider zips the folder; a copy keeps this one unchanged.
stage=${TMPDIR:-/tmp}/slider-$name
if [ "$print" = no ]; then
  stage=$(mktemp -d "$stage.XXXXXX")
  trap 'rm -rf "$stage"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
fi
run cp -R "$here"/metainfo.json "$here/package" "$stage"
send train.py train.py

status=0
run "$SLIDER" create "$name" --appdef "$stage" --template "$here/appConfig.json" \
  --resources "$here/resources.json" "$@" || status=$?
case $status in
  0) [ "$print" = yes ] || echo "$name was created: slider status $name, slider stop $name, slider destroy $name" ;;
  40) echo "submit.sh: slider rejects one of the options" >&2 ;;
  73) echo "submit.sh: $name is running; stop it first: slider stop $name" >&2 ;;
  75) echo "submit.sh: an application $name already exists; remove it first: slider destroy $name --force" >&2 ;;
esac
exit "$status"
