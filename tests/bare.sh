#!/usr/bin/env bash
# Runs the quick tests where nothing of this machine is but what a test may use:
#
#   tests/bare.sh me|user PYTHON [OPTION OF PYTEST]...
#
# The root folder has the folders of the system, the checkout, which cannot be written, and the Python of PYTHON. /data, /srv,
# /mnt, /opt, /runs and /home are empty, as far as neither of those two is there, and other folders are missing. $HOME cannot be
# written; host name, time zone and locale are odd; no variable is inherited but PYTEST_ADDOPTS; the umask is 077. Python 2.7
# is there as well, if this machine has it.
# "user": with the rights of a user who has no name and owns nothing, which takes root. What has failed is kept in build/bare.
#
# Where the kernel permits no namespaces (a container without that right), the tests run in the root folder of the machine,
# and the last line says so. `docker run --privileged` or an ordinary user's machine has them.
set -euo pipefail

readonly user=54321
readonly system=(bin dev etc lib lib32 lib64 libx32 nix proc sbin sys usr var)
readonly empty=(data home mnt opt run runs srv)

# In namespaces of its own: make the root folder, and go there.
enter_root() {
  local new=$1 kept=$2 folder
  mount -t tmpfs -o mode=755 tmpfs "$new"
  for folder in "${system[@]}"; do
    if [ -L "/$folder" ]; then
      cp -P "/$folder" "$new/$folder"
    elif [ -d "/$folder" ]; then
      mkdir "$new/$folder"
      mount --rbind "/$folder" "$new/$folder"
    fi
  done
  mkdir -p "${empty[@]/#/$new/}" "$new/results" "$new/sealed"
  mkdir -m 1777 "$new/tmp"
  mount --bind "$kept" "$new/results"
  for folder in "$checkout" "$prefix" "$base" "${old:+${old%/bin/*}}" "$git"; do
    if [ ! -e "$new$folder" ]; then
      mkdir -p "$new$folder"
      mount --rbind "$folder" "$new$folder"
    fi
  done
  mount -o remount,bind,ro "$new$checkout"
  mount -t tmpfs -o ro,mode=755 tmpfs "$new/sealed"
  mkdir "$new/old"
  cd "$new"
  pivot_root . old
  umount --lazy /old
  rmdir /old
  hostname odd-host.invalid
}

# Run the tests, which know of this machine no more than what stands here.
run_tests() { # RESULTS HOME [COMMAND THAT CHANGES THE USER]...
  local results=$1 home=$2
  shift 2
  umask 077
  cd "$checkout"
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" LANG=xx_XX HOSTNAME=odd-host.invalid \
    TZ=ODD-13:45 PYTHONPYCACHEPREFIX="$results/pycache" HYPOTHESIS_STORAGE_DIRECTORY="$results/hypothesis" \
    PYTEST_ADDOPTS="${PYTEST_ADDOPTS-}" PYTHON2="$old" "$@" "$python" -m pytest --quick -o cache_dir="$results/cache" "${options[@]}"
}

readonly checkout=${BARE_CHECKOUT:-$(cd "$(dirname "$0")/.." && pwd -P)}
readonly who=$1 python=$2
shift 2
options=("$@")
{ read -r prefix && read -r base; } < <("$python" -c 'import sys; print(sys.prefix, sys.base_prefix, sep="\n")')
old=$(cd "$checkout" && "$python" -m tests.pythons)
git=$(git -C "$checkout" rev-parse --path-format=absolute --git-common-dir 2>/dev/null) || git='' # elsewhere for a worktree

become=()
if [ "$who" = user ] && [ "$(id -u)" = 0 ]; then
  become=(setpriv "--reuid=$user" "--regid=$user" --clear-groups)
elif [ "$(id -u)" != 0 ]; then
  ids=("--map-user=$(id -u)" "--map-group=$(id -g)")
fi

if [ -n "${BARE_NEW-}" ]; then # the second time, in the namespaces
  ids=()
  read -ra ids <<<"${BARE_IDS-}"
  enter_root "$BARE_NEW" "$BARE_KEPT"
  run_tests /results /sealed "${become[@]}" ${ids[@]+unshare --user "${ids[@]}"}
fi

kept=$checkout/build/bare/$who
mkdir -p "$kept"
[ ${#become[@]} = 0 ] || chown -R "$user:$user" "$kept"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
spaces=(unshare --mount --uts --propagation private)
[ "$(id -u)" = 0 ] || spaces=(unshare --user --map-root-user --mount --uts --propagation private)
if "${spaces[@]}" true 2>/dev/null; then
  BARE_CHECKOUT=$checkout BARE_NEW=$new BARE_KEPT=$kept BARE_IDS="${ids[*]-}" "${spaces[@]}" bash "$0" "$who" "$python" "${options[@]}"
else
  chmod 755 "$new"
  mkdir -m 555 "$new/sealed"
  status=0
  (run_tests "$kept" "$new/sealed" ${become[@]+"${become[@]}"}) || status=$?
  echo "these tests have seen the folders of this machine: no namespaces are permitted here"
  exit "$status"
fi
