#!/usr/bin/env bash
# Submits the job mnist to YARN and waits for its end. Written by tfdsl.
#
# shellcheck disable=SC2016,SC2054  # the single quotes and commas are intended
# shellcheck disable=SC2329  # only the trap calls some functions
set -u

usage() {
  cat <<'END'
usage: submit.sh [--print] [--cancel-on-interrupt] [--jar FILE]

  --print                 show what would be done, and do nothing
  --cancel-on-interrupt   Ctrl-C also ends the job; without this it keeps running
  --jar FILE              the DistributedShell jar, if it is not found beside yarn

Exit status: 0 the job succeeded, 1 it could not be submitted, 2 it failed, 130 interrupted; any other is the client's.
Exit status of a task, in its log: 74 an output could not be copied, 75 another task was lost or all tasks restart, 76
tasks were missing at the time limit, 77 the job does not need the container; any other is the command's.
END
}

job=mnist
names=(chief ps worker tensorboard)

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

here=$(dirname "$(readlink -f "$0")") || exit 1 # also when it is called through a link
run=$job-$(date -u +%Y%m%d-%H%M%S)-$(od -An -N4 -tx1 /dev/urandom | tr -d ' \n')
store=.tfjobs

# --- what is submitted -------------------------------------------------------------------------------------------

# Names of the applications; also of the folders in the submitter's home in HDFS to which their clients copy job.sh.
folders=(mnist-chief mnist-ps mnist-worker mnist-tensorboard)

options_of() { # NAME: sets options
  case $1 in
  chief)
    options=(
      -appname mnist-chief
      -num_containers 1
      -container_resources 'memory-mb=2048,vcores=2'
      -master_memory 512
      -timeout 2147483647
      -container_retry_policy 2
      -container_retry_error_codes 75
      -container_max_retries 3
      -container_retry_interval 1000
      -shell_env 'TFJOB_ROLE_ONLY=chief'
    )
    ;;
  ps)
    options=(
      -appname mnist-ps
      -num_containers 2
      -container_resources 'memory-mb=2048,vcores=2'
      -master_memory 512
      -timeout 2147483647
      -container_retry_policy 2
      -container_retry_error_codes 75
      -container_max_retries 3
      -container_retry_interval 1000
      -shell_env 'TFJOB_ROLE_ONLY=ps'
    )
    ;;
  worker)
    options=(
      -appname mnist-worker
      -num_containers 4
      -container_resources 'memory-mb=2048,vcores=2,yarn.io/gpu=1'
      -master_memory 512
      -timeout 2147483647
      -container_retry_policy 2
      -container_retry_error_codes 75
      -container_max_retries 3
      -container_retry_interval 1000
      -shell_env 'TFJOB_ROLE_ONLY=worker'
    )
    ;;
  tensorboard)
    options=(
      -appname mnist-tensorboard
      -num_containers 1
      -container_resources 'memory-mb=1024,vcores=1'
      -master_memory 512
      -timeout 2147483647
      -container_retry_policy 2
      -container_retry_error_codes 75
      -container_max_retries 3
      -container_retry_interval 1000
      -shell_env 'TFJOB_ROLE_ONLY=tensorboard'
    )
    ;;
  esac
}

# Files and folders of this machine that every task finds in its work folder.
files() {
  pack train.py train.py
  send_packed
}

client_of() { # NUMBER: sets client to the whole command
  local options
  options_of "${names[$1]}"
  client=(yarn jar "$jar" -jar "$jar" -shell_script "$here/job.sh" -shell_env "TFJOB_RUN=$run" "${options[@]}")
  client+=(-application_tags "$run")
  client+=(-localize_files "$(IFS=, && printf '%s' "${sent[*]}")")
}

# --- functions ---------------------------------------------------------------------------------------------------

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

sent=()

packed=()
pack() { # FILE NAME: links are followed
  packed+=("./$2")
  if [ -n "$print" ]; then
    printf 'cp -RL -- %q %q\n' "$1" "$tmp/files/$2"
    [ -e "$1" ] || complain "$1 does not exist, seen from this folder"
    return
  fi
  [ -e "$1" ] || fail "$1 does not exist; call submit.sh in the folder that the path starts from"
  mkdir -p "$tmp/files" || fail "cannot create $tmp/files"
  cp -RL -- "$1" "$tmp/files/$2" || fail "cannot read all of $1"
}

send_packed() {
  local archive=$tmp/tfjob-files.tar
  sent+=("$archive")
  if [ -n "$print" ]; then
    printf 'tar -cf - -C %q' "$tmp/files"
    printf ' %q' "${packed[@]}"
    printf ' >%q\n' "$archive"
    return
  fi
  tar -cf - -C "$tmp/files" "${packed[@]}" >"$archive" || fail "cannot pack the files of the job"
}

keep_private() { # job.sh has the job's env, and the client copies it to a folder with the job's name at home in HDFS
  local folder mode
  command -v hdfs >/dev/null || {
    complain "hdfs is not on the PATH, so others may be able to read the copy of job.sh in HDFS"
    return
  }
  for folder in "${folders[@]}"; do
    if hdfs dfs -mkdir "$folder" 2>"$tmp/error"; then
      hdfs dfs -chmod 700 "$folder" || fail "cannot make $folder private"
      continue
    fi
    mode=$(hdfs dfs -stat %a "$folder" 2>/dev/null)
    case $mode in
    ?00) ;;
    '')
      cat "$tmp/error" >&2
      fail "cannot create the folder $folder in your home folder of HDFS, where DistributedShell keeps job.sh"
      ;;
    *) complain "others may read job.sh in your folder $folder of HDFS while the job runs; its mode is $mode, not 700" ;;
    esac
  done
}

make_store() {
  command -v hdfs >/dev/null || give_up "hdfs is not on the PATH; it creates the folder for the tasks' rendezvous"
  hdfs dfs -mkdir -p "$store/$run" ||
    give_up "cannot create $store/$run in your home folder of HDFS, which may not exist; the option store names another folder"
  hdfs dfs -chmod 700 "$store/$run" || fail "cannot make $store/$run private"
}

remove_store() {
  hdfs dfs -rm -r -f -skipTrash "$store/$run" >/dev/null 2>&1
}

fail() { # gives up, and removes what was created
  remove_store
  give_up "$@"
}

show() {
  local i
  printf 'hdfs dfs -mkdir -p %q\n' "$store/$run"
  files
  for i in "${!names[@]}"; do
    client_of "$i"
    printf '%q ' "${client[@]}"
    printf '\n'
  done
}

# --- what YARN says ----------------------------------------------------------------------------------------------

# The client reports every second, usually the same: keep only what is new.
news() {
  local line report last=''
  trap '' INT TERM # it ends with the client
  while IFS= read -r line; do
    case $line in
    *'Got application report'*)
      report=${line#*Got application report}
      [ "$report" != "$last" ] || continue
      last=$report
      ;;
    esac
    printf '%s\n' "$line"
  done
}

announce() { # NUMBER: says, once each, the application's id and where to look
  local url
  if [ -z "${ids[$1]}" ]; then
    ids[$1]=$(sed -n 's/.*\(application_[0-9][0-9]*_[0-9][0-9]*\).*/\1/p' "$tmp/${names[$1]}.log" | head -n 1)
    [ -z "${ids[$1]}" ] || say "${names[$1]} is ${ids[$1]}; its logs: yarn logs -applicationId ${ids[$1]}"
  fi
  if [ -z "${urls[$1]}" ]; then
    url=$(sed -n 's/.*appTrackingUrl=\([^, ]*\).*/\1/p' "$tmp/${names[$1]}.log" | tail -n 1)
    case $url in
    '' | N/A) ;;
    *)
      urls[$1]=$url
      say "${names[$1]} is shown at $url"
      ;;
    esac
  fi
}

# Sets states, "STATE, FINAL STATE" of each application, empty if YARN has none. Fails if YARN does not answer.
ask_yarn() {
  local i id name state final _
  yarn application -list -appStates ALL -appTags "$run" >"$tmp/answer" 2>"$tmp/error" || return 1
  for i in "${!names[@]}"; do states[i]=''; done
  while IFS=$'\t' read -r id name _ _ _ state final _; do
    case ${id// /} in
    application_*) ;;
    *) continue ;;
    esac
    for i in "${!names[@]}"; do
      [ "${name// /}" = "${folders[i]}" ] || continue
      ids[i]=${id// /} states[i]="${state// /}, ${final// /}"
    done
  done <"$tmp/answer"
}

runs() { # STATES: whether an application in these has not ended
  case $1 in
  '' | FINISHED,* | FAILED,* | KILLED,*) return 1 ;;
  esac
}

finish() { # NUMBER STATUS STATES
  watched[$1]='' left=$((left - 1))
  say "${names[$1]} has ended: ${3:-no report from YARN}; client status ${ended[$1]}"
  [ "$2" -ne 0 ] || return 0
  if [ "${names[$1]}" = tensorboard ]; then
    say "the job goes on without tensorboard"
    return 0
  fi
  complain "the last lines of the client of ${names[$1]}:"
  # Without stack traces, and without reports that nothing is wrong.
  grep -v -e '^[[:space:]]*at ' -e 'appDiagnostics=, ' "$tmp/${names[$1]}.log" | tail -n 15 >&2
  [ "$status" -ne 0 ] || status=$2
  failed_at=${failed_at:-$SECONDS}
}

judge() { # NUMBER: decides what the end of a client, or YARN's latest answer, means
  local own=${ended[$1]}
  case ${states[$1]} in
  'FINISHED, SUCCEEDED') finish "$1" 0 "${states[$1]}" ;;
  '') finish "$1" "$own" '' ;;
  FINISHED,* | FAILED,* | KILLED,*)
    [ "$own" -ne 0 ] && [ "$own" -lt 126 ] || own=2 # a client that was killed does not know
    finish "$1" "$own" "${states[$1]}"
    ;;
  *)
    [ -n "${orphans[$1]}" ] || say "the client of ${names[$1]} exited with $own, but ${ids[$1]} is still running; watching it"
    orphans[$1]=yes
    ;;
  esac
}

kill_running() { # kills what is running according to YARN's latest answer; fails if it cannot
  local i done=0
  for i in "${!names[@]}"; do
    runs "${states[i]}" || continue
    yarn application -kill "${ids[i]}" >/dev/null 2>"$tmp/error" || done=1
  done
  return "$done"
}

stop_clients() { # after this no client submits anything
  local i tries
  for i in "${!pids[@]}"; do
    [ -n "${pids[i]}" ] || continue
    kill "${pids[i]}" 2>/dev/null
    for ((tries = 0; tries < 100; tries++)); do
      kill -0 "${pids[i]}" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "${pids[i]}" 2>/dev/null
    wait "${pids[i]}" 2>/dev/null
    pids[i]=''
  done
}

interrupted() {
  local i running=0 begun=0
  trap '' INT TERM

  [ "${#pids[@]}" -gt 0 ] || nothing_runs "interrupted; nothing was submitted"
  stop_clients
  ask_yarn || {
    complain "interrupted, and YARN does not say what is running: $(tail -n 1 "$tmp/error")"
    complain "to see it: yarn application -list -appTags $run"
    complain "to end it: yarn application -kill APPLICATION_ID"
    exit 130
  }
  for i in "${!names[@]}"; do
    [ -z "${states[i]}" ] || begun=$((begun + 1))
    runs "${states[i]}" && running=$((running + 1))
  done
  [ "$begun" -gt 0 ] || nothing_runs "interrupted; nothing was submitted"
  [ "$running" -gt 0 ] || nothing_runs "interrupted; the job has ended"
  if [ -z "$cancel" ] && [ "$begun" -lt "${#names[@]}" ]; then
    say "interrupted before the whole job was submitted"
    cancel=yes
  fi
  if [ -n "$cancel" ]; then
    kill_running || {
      complain "interrupted; cannot end the job: $(tail -n 1 "$tmp/error")"
      cancel=''
    }
    [ -z "$cancel" ] || nothing_runs "interrupted; ended the job"
  else
    say "interrupted; the job keeps running, and nothing enforces its deadline"
  fi
  say "to end it:"
  for i in "${!names[@]}"; do
    ! runs "${states[i]}" || say "  yarn application -kill ${ids[i]}"
  done
  exit 130
}

nothing_runs() { # TEXT
  say "$1"
  remove_store
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
[ -f "$jar" ] || give_up "$jar does not exist"
export HADOOP_ROOT_LOGGER=INFO,console # the client logs the application's id
pids=() ids=() urls=() states=() ended=() watched=() orphans=()
trap interrupted INT TERM
make_store
keep_private
files

for i in "${!names[@]}"; do
  ids[i]='' urls[i]='' states[i]='' ended[i]=0 watched[i]=yes orphans[i]=''
  : >"$tmp/${names[i]}.log"
  client_of "$i"
  "${client[@]}" </dev/null > >(news >>"$tmp/${names[i]}.log") 2>&1 &
  pids[i]=$!
done

left=${#names[@]} status=0 asked=$SECONDS unanswered=0
failed_at='' grace=${TFJOB_GRACE:-30} # seconds for the others to end by themselves
while [ "$left" -gt 0 ]; do
  ask=''
  for i in "${!names[@]}"; do
    [ -n "${pids[i]}" ] || continue
    announce "$i"
    ! kill -0 "${pids[i]}" 2>/dev/null || continue
    wait "${pids[i]}"
    ended[i]=$? pids[i]=''
    sleep 0.1 # for the last lines of its log
    announce "$i"
    if [ "${ended[i]}" -eq 0 ]; then finish "$i" 0 'FINISHED, SUCCEEDED'; else ask=yes; fi
  done
  for i in "${!names[@]}"; do
    [ -z "${orphans[i]}" ] || [ -z "${watched[i]}" ] || [ $((SECONDS - asked)) -lt "${TFJOB_ASK:-15}" ] || ask=yes
  done
  if [ -n "$ask" ]; then
    asked=$SECONDS
    if ask_yarn; then
      unanswered=0
    else
      unanswered=$((unanswered + 1))
    fi
    for i in "${!names[@]}"; do
      [ -n "${watched[i]}" ] && [ -z "${pids[i]}" ] || continue
      if [ "$unanswered" -eq 0 ]; then
        judge "$i"
      elif [ -n "${ids[i]}" ] && [ "$unanswered" -lt 20 ]; then
        orphans[i]=yes
      else
        finish "$i" "${ended[i]}" ''
      fi
    done
  fi
  if [ -n "$failed_at" ] && [ "$left" -gt 0 ] && [ $((SECONDS - failed_at)) -ge "$grace" ]; then
    say "the others are still running; ending them"
    ask_yarn && kill_running
    failed_at=$SECONDS
  fi
  [ "$left" -eq 0 ] || sleep "${TFJOB_POLL:-1}"
done
[ "$unanswered" -gt 0 ] || remove_store
if [ "$status" -eq 0 ]; then say "SUCCEEDED"; else say "FAILED"; fi
exit "$status"
