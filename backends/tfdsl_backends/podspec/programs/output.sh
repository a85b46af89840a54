# Runs the command, then copies what it left behind. Arguments:
#   ROLE INDEX COUNT (WHEN REPLICA OVERWRITE SOURCE DESTINATION)*COUNT COMMAND [ARGUMENT]...
# WHEN: success, failure or always. REPLICA: the index that copies, or "every". OVERWRITE: yes or no.
# The command is a child in the background, so that a signal reaches it at once (a shell that waits for a foreground
# child runs its traps only afterwards); its status is kept. The shell lets background children ignore SIGINT, so that
# one is passed on as SIGTERM. Status 74: the command succeeded and a copy failed.
role=$1 index=$2 count=$3
shift 3

say() { printf '%s\n' "output: $*" >&2; }

exists() { [ -e "$1" ] || [ -L "$1" ]; }

# Puts a copy of source $2 at destination $3: written beside it, then renamed; $1 says whether one may be replaced.
copy() {
  target=$3
  while [ "$target" != "${target%/}" ] && [ "$target" != / ]; do target=${target%/}; done
  folder=${target%/*}
  name=$role-$index-$count-$(uname -n)
  part=$folder/.part-$name old=$folder/.old-$name
  # An earlier run of this container was killed between its two renames: what it moved away is all that there is.
  if exists "$old" && ! exists "$target"; then mv -- "$old" "$target" || return 1; fi
  if ! exists "$2"; then
    say "$2 is not there"
    return 1
  fi
  if [ "$1" = no ] && exists "$target"; then
    say "$target exists already; overwrite = true would replace it"
    return 1
  fi
  mkdir -p -- "${folder:-/}" && rm -rf -- "$part" "$old" || return 1
  if ! cp -RH -- "$2" "$part"; then
    rm -rf -- "$part"
    return 1
  fi
  if exists "$target"; then
    if [ "$1" = no ]; then
      say "$target was made meanwhile"
      rm -rf -- "$part"
      return 1
    fi
    mv -- "$target" "$old" || return 1
  fi
  if ! mv -- "$part" "$target"; then
    if exists "$old"; then mv -- "$old" "$target"; fi
    return 1
  fi
  if exists "$target/.part-$name"; then
    say "$target was made meanwhile"
    rm -rf -- "${target:?}/.part-$name"
    return 1
  fi
  rm -rf -- "$old"
}

child='' signalled=''
trap 'signalled=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM INT
(
  shift $((count * 5))
  exec "$@"
) &
child=$!
[ -z "$signalled" ] || kill -TERM "$child"
wait "$child"
status=$?
while [ -n "$signalled" ]; do
  signalled=
  wait "$child" 2>/dev/null
  again=$?
  [ "$again" -eq 127 ] || status=$again
done

failed=
while [ "$count" -gt 0 ]; do
  if [ "$status" -eq 0 ]; then when=success; else when=failure; fi
  if { [ "$1" = "$when" ] || [ "$1" = always ]; } && { [ "$2" = "$index" ] || [ "$2" = every ]; }; then
    if ! copy "$3" "$4" "$5"; then
      say "cannot copy $4 to $5"
      failed=yes
    fi
  fi
  shift 5
  count=$((count - 1))
done
if [ -n "$failed" ] && [ "$status" -eq 0 ]; then status=74; fi
exit "$status"
