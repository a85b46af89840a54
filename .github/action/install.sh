#!/usr/bin/env bash
# Install the tfdsl of this action, with the versions of other packages that it was tested with, in an environment of its
# own. Later steps of the workflow find the command `tfdsl` on the path, and nothing else of it.
set -euo pipefail
python=${PYTHON:-python3}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  found=$("$python" -c 'import platform; print("Python", platform.python_version())' 2>/dev/null || echo "no such program")
  echo "::error title=tfdsl::tfdsl needs Python 3.11 or newer ($python: $found); add actions/setup-python before this step"
  exit 1
fi

home=$RUNNER_TEMP/tfdsl
"$python" -m venv --clear "$home"
install=("$home/bin/python" -m pip install --quiet --disable-pip-version-check)
"${install[@]}" --require-hashes --requirement "$GITHUB_ACTION_PATH/requirements/base.txt"
"${install[@]}" --no-deps --no-build-isolation "$GITHUB_ACTION_PATH"

mkdir -p "$home/path"
ln -s "$home/bin/tfdsl" "$home/path/tfdsl"
echo "$home/path" >>"$GITHUB_PATH"
"$home/bin/tfdsl" --version
