#!/usr/bin/env bash
# Submits the job tensorflow to YARN and waits for its end. Written by tfdsl.
#
# shellcheck disable=SC2016,SC2054  # what stands in single quotes is meant as it is; commas belong to their words
set -u

usage() {
  cat <<'END'
usage: submit.sh [--print] [--cancel-on-interrupt] [--jar FILE]

  --print                 show what would be done, do nothing
  --cancel-on-interrupt   Ctrl-C ends the job; without it the job runs on
  --jar FILE              the DistributedShell jar, where it is not found beside yarn

Status: 0 the job succeeded, 1 it could not be submitted, 2 it failed, 130 interrupted, any other the client's own.
Statuses of a task, in its log: 74 an output could not be copied, 75 another task was lost or all start again, 76
tasks were missing at the time limit, 77 one container too many; any other is the command's own.
END
}

job=tensorflow
names=(ps worker tensorboard)

say() { printf '%s\n' "$job: $*"; }
complain() { printf '%s\n' "$job: $*" >&2; }
give_up() {
  complain "$*"
  exit 1
}

print='' cancel='' jar=${TFJOB_JAR-}
while [ $# -gt 0 ]; do
  case $1 in
  --print) print=yes ;;
  --cancel-on-interrupt) cancel=yes ;;
  --jar)
    [ $# -ge 2 ] || give_up "--jar needs a file"
    jar=$2
    shift
    ;;
  --jar=*) jar=${1#*=} ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    complain "unknown argument $1"
    usage >&2
    exit 1
    ;;
  esac
  shift
done

here=$(cd "$(dirname "$0")" && pwd) || exit 1
run=$job-$(date -u +%Y%m%d-%H%M%S)-$(od -An -N4 -tx1 /dev/urandom | tr -d ' \n')
user=${HADOOP_USER_NAME:-$(id -un)}
store=hdfs:///user/"$user"/.tfjobs

# --- what is submitted -------------------------------------------------------------------------------------------

options_of() { # NAME: sets options
  case $1 in
  ps)
    options=(
      -appname tensorflow-ps
      -num_containers 2
      -container_resources 'memory-mb=2056,vcores=1'
      -master_memory 512
      -timeout 2147483647
      -container_retry_policy 2
      -container_retry_error_codes 75
      -container_max_retries 3
      -container_retry_interval 1000
      -shell_env 'TFJOB_ROLE_ONLY=ps'
      -shell_env 'YARN_CONTAINER_RUNTIME_TYPE=docker'
      -shell_env 'YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=tensorflow-hdfs:2.7.3'
      -shell_env 'YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK=host'
    )
    ;;
  worker)
    options=(
      -appname tensorflow-worker
      -num_containers 5
      -container_resources 'memory-mb=2056,vcores=1'
      -master_memory 512
      -timeout 2147483647
      -container_retry_policy 2
      -container_retry_error_codes 75
      -container_max_retries 3
      -container_retry_interval 1000
      -shell_env 'TFJOB_ROLE_ONLY=worker'
      -shell_env 'YARN_CONTAINER_RUNTIME_TYPE=docker'
      -shell_env 'YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=tensorflow-hdfs:2.7.3'
      -shell_env 'YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK=host'
    )
    ;;
  tensorboard)
    options=(
      -appname tensorflow-tensorboard
      -num_containers 1
      -container_resources 'memory-mb=1024,vcores=1'
      -master_memory 512
      -timeout 2147483647
      -container_retry_policy 2
      -container_retry_error_codes 75
      -container_max_retries 3
      -container_retry_interval 1000
      -shell_env 'TFJOB_ROLE_ONLY=tensorboard'
      -shell_env 'YARN_CONTAINER_RUNTIME_TYPE=docker'
      -shell_env 'YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=tensorflow-hdfs:2.7.3'
      -shell_env 'YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK=host'
    )
    ;;
  esac
}

client_of() { # NAME: sets client to the whole command
  local options
  options_of "$1"
  client=(yarn jar "$jar" -jar "$jar" -shell_script "$here/job.sh" -shell_env "TFJOB_RUN=$run" "${options[@]}")
  client+=(-application_tags "$run")
}

# --- how ---------------------------------------------------------------------------------------------------------

is_jar() {
  case $1 in
  *-sources.jar | *-tests.jar) return 1 ;;
  esac
  [ -f "$1" ]
}

find_jar() {
  local home entry found
  home=$(dirname "$(dirname "$(readlink -f "$(command -v yarn)")")")
  for home in "${HADOOP_YARN_HOME-}" "${HADOOP_HOME-}" "$home"; do
    for found in "$home"/share/hadoop/yarn/*distributedshell*.jar "$home"/*distributedshell*.jar; do
      if [ -n "$home" ] && is_jar "$found"; then
        printf '%s\n' "$found"
        return
      fi
    done
  done
  while IFS= read -r entry; do
    for found in "${entry%\*}"*distributedshell*.jar "$entry"; do
      case $found in
      *distributedshell*.jar) ;;
      *) continue ;;
      esac
      if is_jar "$found"; then
        printf '%s\n' "$found"
        return
      fi
    done
  done < <(yarn classpath 2>/dev/null | tr ':' '\n')
  return 1
}

make_store() {
  command -v hdfs >/dev/null || give_up "hdfs is not on the PATH; it makes the folder through which the tasks meet"
  hdfs dfs -mkdir -p "$store/$run" || give_up "cannot make $store/$run in HDFS"
  hdfs dfs -chmod 700 "$store/$run" || give_up "cannot keep others out of $store/$run"
}

remove_store() {
  hdfs dfs -rm -r -f -skipTrash "$store/$run" >/dev/null 2>&1
}

show() {
  local name
  printf 'hdfs dfs -mkdir -p %q\n' "$store/$run"
  for name in "${names[@]}"; do
    client_of "$name"
    printf '%q ' "${client[@]}"
    printf '\n'
  done
}

# What the client's log says about application $1.
last_in_log() { sed -n "$2" "$tmp/${names[$1]}.log" | tail -n 1; }

announce() { # NUMBER: tells, once each, the application's name and where to look
  local url
  if [ -z "${ids[$1]}" ]; then
    ids[$1]=$(sed -n 's/.*\(application_[0-9][0-9]*_[0-9][0-9]*\).*/\1/p' "$tmp/${names[$1]}.log" | head -n 1)
    [ -z "${ids[$1]}" ] || say "${names[$1]} is ${ids[$1]}; its logs: yarn logs -applicationId ${ids[$1]}"
  fi
  if [ -z "${urls[$1]}" ]; then
    url=$(last_in_log "$1" 's/.*appTrackingUrl=\([^, ]*\).*/\1/p')
    case $url in
    '' | N/A) ;;
    *)
      urls[$1]=$url
      say "${names[$1]} is shown at $url"
      ;;
    esac
  fi
}

report() { # NUMBER STATUS
  local state
  state=$(last_in_log "$1" 's/.*yarnAppState=\([A-Z_]*\), distributedFinalState=\([A-Z_]*\).*/\1, \2/p')
  say "${names[$1]} has ended: ${state:-no report of YARN}; client status $2"
  [ "$2" -eq 0 ] || {
    complain "the end of what the client of ${names[$1]} said:"
    # Without stack traces, and without the reports of every second that nothing is wrong.
    grep -v -e '^[[:space:]]*at ' -e 'appDiagnostics=, ' "$tmp/${names[$1]}.log" | tail -n 15 >&2
  }
}

# shellcheck disable=SC2329  # called when the script is interrupted
end_applications() { # kills what still runs
  local i
  for i in "${!names[@]}"; do
    [ -n "${pids[i]}" ] || continue
    announce "$i"
    [ -z "${ids[i]}" ] || yarn application -kill "${ids[i]}" >/dev/null 2>&1
  done
}

# shellcheck disable=SC2329  # called by the trap below
interrupted() {
  local i
  trap '' INT TERM
  if [ -n "$cancel" ]; then
    say "interrupted; the job is ended"
    end_applications
    remove_store
  else
    say "interrupted; the job runs on, and nobody watches its deadline. To end it:"
    for i in "${!names[@]}"; do
      announce "$i"
      [ -z "${ids[i]}" ] || say "  yarn application -kill ${ids[i]}"
    done
  fi
  for i in "${!names[@]}"; do
    [ -z "${pids[i]}" ] || kill "${pids[i]}" 2>/dev/null
  done
  exit 130
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT

if [ -n "$print" ]; then
  jar=${jar:-$(command -v yarn >/dev/null && find_jar || echo hadoop-yarn-applications-distributedshell.jar)}
  show
  exit 0
fi

command -v yarn >/dev/null || give_up "yarn is not on the PATH; call submit.sh where the Hadoop client is installed"
[ -n "$jar" ] || jar=$(find_jar) || give_up "cannot find hadoop-yarn-applications-distributedshell-*.jar; name it with --jar"
[ -f "$jar" ] || give_up "there is no $jar"
export HADOOP_ROOT_LOGGER=INFO,console # the client tells the application's name in its log
make_store

pids=() ids=() urls=()
trap interrupted INT TERM
for i in "${!names[@]}"; do
  ids[i]='' urls[i]=''
  client_of "${names[i]}"
  "${client[@]}" </dev/null >"$tmp/${names[i]}.log" 2>&1 &
  pids[i]=$!
done

left=${#names[@]} status=0
failed_at='' grace=${TFJOB_GRACE:-30} # seconds in which the others end by themselves
while [ "$left" -gt 0 ]; do
  for i in "${!names[@]}"; do
    [ -n "${pids[i]}" ] || continue
    announce "$i"
    ! kill -0 "${pids[i]}" 2>/dev/null || continue
    wait "${pids[i]}"
    ended=$?
    announce "$i"
    pids[i]='' left=$((left - 1))
    report "$i" "$ended"
    if [ "$status" -eq 0 ] && [ "$ended" -ne 0 ]; then
      status=$ended
      failed_at=$SECONDS
    fi
  done
  if [ -n "$failed_at" ] && [ "$left" -gt 0 ] && [ $((SECONDS - failed_at)) -ge "$grace" ]; then
    say "the others still run and are ended"
    end_applications
    failed_at=''
  fi
  [ "$left" -eq 0 ] || sleep "${TFJOB_POLL:-1}"
done
remove_store
if [ "$status" -eq 0 ]; then say "SUCCEEDED"; else say "FAILED"; fi
exit "$status"
