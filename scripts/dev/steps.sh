# shellcheck shell=sh
# What ./dev says, and how it runs its steps.

exec 3>&1 # where progress is shown, also from steps whose output is kept

say() { printf '%s\n' "$*"; }
die() {
  say "dev: $*" >&2
  exit 1
}

# quietly NAME COMMAND…: what the command prints matters only when it fails.
quietly() {
  name=$1
  shift
  output=$("$@" 2>&1) && return
  say "FAILED: $name"
  say "$output" | grep -v '^\[[0-9]*/[0-9]*\]' | tail -n 200 # without the build's progress
  return 1
}

# shown COMMAND…: says what it runs, so that it can be run again by hand.
shown() {
  printf '\n$ %s\n' "$*"
  "$@"
}

# progress DONE/ALL: on a terminal one line that is painted over, elsewhere a line for every tenth.
progress() {
  if [ -t 3 ]; then printf '\rBuilding … %s' "$1" >&3
  elif [ $((${1%/*} * 10 / ${1#*/})) -gt "$tenths" ]; then
    tenths=$((${1%/*} * 10 / ${1#*/}))
    say "Building … $1" >&3
  fi
}

# counting COMMAND…: a build by Ninja, whose lines "[12/301] …" become progress. The rest of what it prints passes through,
# and so does its exit status, as a last line.
counting() {
  if [ -t 3 ]; then printf 'Building …' >&3; else say "Building …" >&3; fi
  { "$@" 2>&1 || say "exit status of the build: $?"; } | {
    status=0 tenths=0
    while IFS= read -r line; do
      case $line in
        "["*"] Re-checking "* | "["*"] Re-running "*) ;; # CMake, and not yet the build
        "["[0-9]*/[0-9]*"] "*)
          line=${line%%]*}
          progress "${line#[}"
          ;;
        "exit status of the build: "*) status=${line##* } ;;
        *) say "$line" ;;
      esac
    done
    [ ! -t 3 ] || echo >&3
    exit "$status"
  }
}
