#!/usr/bin/env bash
# Runs one replica of the job mnist: task.sh ROLE INDEX. Written by tfdsl; job.sbatch starts it in a step.
#
# shellcheck disable=SC2016,SC2329  # the single quotes are intended; functions are called by name
set -u

# The environment may have any name, so the script's own names start with tfjob_ or TFJOB_.
TFJOB_ROLE=$1 TFJOB_INDEX=$2
export TFJOB_ROLE TFJOB_INDEX
tfjob_name=$TFJOB_ROLE-$TFJOB_INDEX
tfjob_run=$(dirname "$(readlink -f "$0")")
tfjob_submitted_in=${SLURM_SUBMIT_DIR:-$PWD}

say() { printf '[tfjob] %s: %s\n' "$tfjob_name" "$*" >&2; }
die() {
  say "$*"
  [ "$BASHPID" = $$ ] || exit 1 # only the script itself leaves a mark
  leave 1
}

# --- the job -----------------------------------------------------------------------------------------------------

# The variables of the job are only for the command: as arguments of env they may have any name, and neither bash nor
# this script reads them.
environment() {
  tfjob_variables=(env)
  case $TFJOB_ROLE in
  chief)
    tfjob_variables+=(
      CUDA_VISIBLE_DEVICES=''
      PATH=/opt/tensorflow/bin:/usr/bin:/bin
      CHECKPOINT_DIR=/runs/mnist
    )
    ;;
  ps)
    tfjob_variables+=(
      CUDA_VISIBLE_DEVICES=''
      PATH=/opt/tensorflow/bin:/usr/bin:/bin
      CHECKPOINT_DIR=/runs/mnist
    )
    ;;
  worker)
    tfjob_variables+=(
      PATH=/opt/tensorflow/bin:/usr/bin:/bin
      CHECKPOINT_DIR=/runs/mnist
    )
    ;;
  tensorboard)
    tfjob_variables+=(
      CUDA_VISIBLE_DEVICES=''
      PATH=/opt/tensorflow/bin:/usr/bin:/bin
      CHECKPOINT_DIR=/runs/mnist
    )
    ;;
  esac
}

# What the command needs to find the others.
discovery() {
  tfjob_flags=()
  case $TFJOB_ROLE in
  chief)
    export TF_CONFIG='{"cluster":'$TFJOB_CLUSTER',"task":{"type":"'$TFJOB_ROLE'","index":'$TFJOB_INDEX'},"environment":"cloud"}'
    ;;
  ps)
    export TF_CONFIG='{"cluster":'$TFJOB_CLUSTER',"task":{"type":"'$TFJOB_ROLE'","index":'$TFJOB_INDEX'},"environment":"cloud"}'
    ;;
  worker)
    export TF_CONFIG='{"cluster":'$TFJOB_CLUSTER',"task":{"type":"'$TFJOB_ROLE'","index":'$TFJOB_INDEX'},"environment":"cloud"}'
    ;;
  *) unset TF_CONFIG ;;
  esac
}

folder() {
  cd -- "$tfjob_submitted_in" || die "cannot enter $tfjob_submitted_in"
}

prepare() {
  case $TFJOB_ROLE in
  chief | ps | worker | tensorboard)
    there /runs
    ;;
  esac
  tfjob_prepared=yes
}

command_of_task() {
  case $TFJOB_ROLE in
  chief)
    exec "${tfjob_variables[@]}" python3 train.py --steps=1000 "$@"
    ;;
  ps | worker)
    exec "${tfjob_variables[@]}" python3 -c 'import json, os, signal, sys, threading
signal.signal(signal.SIGTERM, lambda *ignored: os._exit(143))
import tensorflow as tf
config = json.loads(os.environ["TF_CONFIG"])
task = config["task"]
new = getattr(getattr(tf, "distribute", None), "Server", None)
server = (new or tf.train.Server)(
    tf.train.ClusterSpec(config["cluster"]), job_name=task["type"], task_index=task["index"], protocol=sys.argv[1])
thread = threading.Thread(target=server.join)
thread.daemon = True
thread.start()
while thread.is_alive():
    thread.join(1)
' grpc "$@"
    ;;
  tensorboard)
    exec "${tfjob_variables[@]}" tensorboard --logdir /runs/mnist --bind_all --port "$TFJOB_PORT" "$@"
    ;;
  esac
}

outputs() {
  local tfjob_failed=0
  case $TFJOB_ROLE in
  chief)
    copy_out success /tmp/export /runs/mnist/export overwrite || tfjob_failed=74
    ;;
  esac
  return "$tfjob_failed"
}

# --- functions ---------------------------------------------------------------------------------------------------

there() { # SOURCE [TYPE]
  [ -e "$1" ] || die "$1 is not on the node $(uname -n)"
  case ${2-} in
  Directory) [ -d "$1" ] || die "$1 is not a folder" ;;
  File) [ -f "$1" ] || die "$1 is not a file" ;;
  esac
}

exists() { [ -e "$1" ] || [ -L "$1" ]; }

# Copy under a temporary name beside the destination, then rename, so that nobody sees half a copy.
copy_out() { # WHEN SOURCE DESTINATION keep|overwrite
  local source=$2 to=$3 part replace=$4 note
  [ -n "$tfjob_prepared" ] || return 0
  case $1:$tfjob_ended in
  always:* | success:0) ;;
  success:* | failure:0 | failure:stopped) return 0 ;; # stopped: the job completed without it
  esac
  if ! exists "$source"; then
    say "output $source does not exist"
    return 74
  fi
  note=$tfjob_run/marks/$tfjob_name.copied-$(printf '%s' "$to" | cksum | tr ' ' -)
  case $to in
  *://*)
    [ "$replace" = overwrite ] || [ ! -e "$note" ] || replace=overwrite
    put "$source" "$to" "$replace" || return 74
    : >"$note"
    return 0
    ;;
  esac
  [ "$to" != "${to#/}" ] || to=$tfjob_submitted_in/$to
  while [ "$to" != "${to%/}" ]; do to=${to%/}; done
  part=$to.part-${SLURM_JOB_ID:-0}-$tfjob_name
  if exists "$part.old" && ! exists "$to"; then mv -T -- "$part.old" "$to" || return 74; fi # an earlier attempt was killed
  if [ "$replace" = keep ] && exists "$to"; then
    if [ ! -e "$note" ]; then
      say "$to already exists; write { overwrite = true } to replace it"
      return 74
    fi
    replace=overwrite # an earlier attempt of this replica made it
  fi
  mkdir -p -- "$(dirname -- "$to")" || return 74
  rm -rf -- "$part" "$part.old"
  if ! cp -RH -- "$source" "$part"; then
    rm -rf -- "$part"
    return 74
  fi
  if exists "$to"; then
    if [ "$replace" = keep ] || ! mv -T -- "$to" "$part.old"; then
      say "$to was created in the meantime, or cannot be replaced"
      rm -rf -- "$part"
      return 74
    fi
  fi
  if ! mv -T -- "$part" "$to"; then
    if exists "$part.old"; then mv -T -- "$part.old" "$to"; fi
    rm -rf -- "$part"
    return 74
  fi
  : >"$note"
  rm -rf -- "$part.old"
}

put() { # SOURCE URI keep|overwrite
  local part=$2.part-${SLURM_JOB_ID:-0}-$tfjob_name
  hdfs dfs -mkdir -p -- "${2%/*}" || return 74
  hdfs dfs -rm -r -f -skipTrash -- "$part" >/dev/null 2>&1
  hdfs dfs -put -- "$1" "$part" || return 74
  if hdfs dfs -test -e "$2"; then
    if [ "$3" = keep ]; then
      say "$2 already exists; write { overwrite = true } to replace it"
      hdfs dfs -rm -r -f -skipTrash -- "$part" >/dev/null 2>&1
      return 74
    fi
    hdfs dfs -rm -r -f -skipTrash -- "$2" >/dev/null || return 74
  fi
  hdfs dfs -mv -- "$part" "$2" || return 74
}

# scancel --signal=TERM reaches every process of the step, so the command has it already; this script only waits.
run_in_background() { # FUNCTION ARGUMENT...: sets tfjob_status
  [ -z "$tfjob_stopping" ] || leave 143
  ("$@") </dev/null &
  local tfjob_process=$!
  while :; do
    wait "$tfjob_process"
    tfjob_status=$?
    kill -0 "$tfjob_process" 2>/dev/null || break
  done
}

leave() { # STATUS: the mark decides what follows, because srun may exit 0 when a node is lost
  printf '%s\n' "$1" >"$TFJOB_MARK.part" && mv -- "$TFJOB_MARK.part" "$TFJOB_MARK.status"
  exit "$1"
}

begin() { # how the batch script signals this step
  local of=SLURM_JOB_ID${TFJOB_GROUP:+_HET_GROUP_$TFJOB_GROUP}
  [ -n "${!of-}" ] || of=SLURM_JOB_ID
  printf '%s.%s\n' "${!of-}" "${SLURM_STEP_ID-}" >"$TFJOB_MARK.begun" && mv -- "$TFJOB_MARK.begun" "$TFJOB_MARK.step"
}

port_is_free() {
  ! (exec 3<>"/dev/tcp/127.0.0.1/$TFJOB_PORT") 2>/dev/null
}

main() {
  local tfjob_flags
  local -a tfjob_variables
  tfjob_stopping=''
  tfjob_prepared=''
  trap tfjob_stopping=yes TERM
  umask 022
  begin
  [ -n "${CUDA_VISIBLE_DEVICES+x}" ] || export CUDA_VISIBLE_DEVICES='' # otherwise TensorFlow takes every GPU
  folder
  if ! port_is_free; then
    say "port $TFJOB_PORT is in use on $(uname -n); choose another port_range"
    leave 76
  fi
  prepare
  discovery
  environment
  run_in_background command_of_task ${tfjob_flags[@]+"${tfjob_flags[@]}"}
  tfjob_ended=$tfjob_status
  [ ! -e "$tfjob_run/marks/completed" ] || [ "$tfjob_status" = 0 ] || tfjob_ended=stopped
  outputs || { [ "$tfjob_status" -ne 0 ] || tfjob_status=74; }
  leave "$tfjob_status"
}

main
