#!/usr/bin/env bash
# Submits the job mnist to Slurm. Written by tfdsl.
set -u

usage() {
  cat <<'END'
usage: submit.sh [--print] [--wait] [--test-only]

  --print      show what would be done, and do nothing
  --wait       wait for the end; the exit status is then that of the job
  --test-only  ask Slurm whether and when the job could run, and submit nothing

Exit status: 0 submitted, or with --wait the job succeeded; 1 it could not be submitted. With --wait that of the job: of the
command whose failure ended it; 74 an output could not be copied, 75 a replica or a node was lost, 76 a port was taken,
124 the deadline has passed, 143 it was cancelled or removed from the queue.
END
}

job=mnist
options=()

complain() { printf '%s\n' "$job: $*" >&2; }
give_up() {
  complain "$*"
  exit 1
}

mode=''
for argument; do
  case $argument in
  --print | --wait | --test-only) mode=${argument#--} ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    complain "unknown argument $argument"
    usage >&2
    exit 1
    ;;
  esac
done

here=$(dirname "$(readlink -f "$0")") || exit 1 # also when it is called through a link
runs=tfjob-runs
case $runs in
/*) ;;
*) runs=$PWD/$runs ;;
esac
run=$runs/$job-$(date -u +%Y%m%d-%H%M%S)-$(od -An -N4 -tx1 /dev/urandom | tr -d ' \n')
command=(sbatch --parsable --output="${run//%/%%}/job.log" ${options[@]+"${options[@]}"})

# A job gets the variables of the one who submits it. Another job's are not its own: their sizes, and that it was queued again.
for variable in "${!SLURM_@}" "${!TFJOB_@}"; do
  case $variable in
  SLURM_CONF | SLURM_CLUSTERS | SLURM_JWT | SLURM_TIME_FORMAT) ;;
  *) unset "$variable" ;;
  esac
done

case $mode in
print)
  printf '%q ' "${command[@]}" "$here/job.sbatch" "$run"
  echo
  exit 0
  ;;
test-only) exec "${command[@]}" --test-only "$here/job.sbatch" "$run" ;;
wait) command+=(--wait) ;;
esac

command -v sbatch >/dev/null || give_up "there is no sbatch here; submit from a login node of the cluster"
umask 077 # task.sh has the values of env
mkdir -p -- "$run/marks" || give_up "cannot create $run"
cp -- "$here/task.sh" "$run/task.sh" || give_up "cannot copy task.sh to $run"

say_where() { # ID
  printf '%s\n' "$job: submitted as ${1%%;*}; logs in $run" "  squeue --job ${1%%;*}" "  scancel ${1%%;*}"
}

if [ "$mode" != wait ]; then
  id=$("${command[@]}" "$here/job.sbatch" "$run") || give_up "sbatch refused the job"
  say_where "$id"
  exit 0
fi
"${command[@]}" "$here/job.sbatch" "$run" | {
  IFS= read -r id || exit 0
  say_where "$id"
}
status=${PIPESTATUS[0]}
if [ "$status" -eq 0 ] && [ ! -e "$run/marks/completed" ]; then # so sbatch ends for a job that is removed from the queue
  complain "Slurm removed it before it could complete"
  exit 143
fi
if [ "$status" -ne 0 ]; then
  if [ -s "$run/job.log" ]; then
    tail -n 5 -- "$run/job.log" >&2
  else
    complain "Slurm did not run it, or refused it (see above)"
  fi
fi
exit "$status"
