#!/bin/sh
# steps.sh SOURCE: how ./dev builds, waits for apt and chooses where to install, with commands that only pretend.
# shellcheck disable=SC2016 # what with() runs expands later
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$1/scripts/dev" "$scratch/scripts"
chmod -R go+rX "$scratch"
cd "$scratch"

expect() { # NAME EXPECTED FOUND
  [ "$2" = "$3" ] || { printf 'FAILED: %s\nexpected:\n%s\nfound:\n%s\n' "$@" && exit 1; }
}
with() { # COMMANDS: in a shell that has the parts of ./dev
  sh -euc '. scripts/steps.sh; . scripts/packages.sh; . scripts/install.sh
'"$1" 2>&1
}

cat >ninja <<'EOF'
echo '[1/1] Re-checking globbed directories...'
for i in $(seq 40); do echo "[$i/40] Building CXX object $i.o"; done
echo 'a.cpp:1: error'
exit "$1"
EOF
expect "a build that fails" "Building …
Building … 4/40
Building … 8/40
Building … 12/40
Building … 16/40
Building … 20/40
Building … 24/40
Building … 28/40
Building … 32/40
Building … 36/40
Building … 40/40
FAILED: build
a.cpp:1: error
status 1" "$(with 'quietly build counting sh ninja 3 || echo "status $?"')"
expect "its exit status" "status 3" "$(with 'counting sh ninja 3 >/dev/null 3>&1 || echo "status $?"')"
expect "what a good build leaves" "" "$(with 'quietly build counting sh ninja 0 3>/dev/null')"
painted=$(python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' sh -c '. scripts/steps.sh; counting sh ninja 0 >/dev/null' </dev/null)
expect "one line on a terminal" 1 "$(printf '%s\n' "$painted" | wc -l)"
expect "the last thing painted" "Building … 40/40" "$(printf '%s' "$painted" | tr '\r' '\n' | grep . | tail -n 1)"

# The fuzzer: two targets at a time, and one that has a finding.
mkdir -p build/asan-ubsan/tests/fuzz
cat >build/asan-ubsan/tests/fuzz/fuzz <<'EOF'
#!/bin/sh
echo "$1 begins" >>order
sleep 0.3
echo "$1 ends" >>order
[ "$1" != target=second ] || { echo "ERROR: overflow" >&2 && touch build/fuzz/second.finding-1 && exit 1; }
echo 'Done 7 runs in 1 second(s)' >&2
echo 'stat::number_of_executed_units: 7' >&2
EOF
chmod +x build/asan-ubsan/tests/fuzz/fuzz
expect "what is said of targets" "passed: first, 7 executions in 1 s
ERROR: overflow
FAILED: second: build/fuzz/second.finding-1, see build/fuzz/second.log
passed: third, 7 executions in 1 s
counted 1 0 0, 0 1 0, 1 0 0" "$(with '. scripts/fuzz.sh
all= build=build jobs=2
count() { all=${all:+$all, }$*; }
ln -s . scripts/dev
fuzz_at_once 1 -seed=1 first second third
say "counted $all"')"
expect "two at the same time" "begins begins" "$(head -n 2 order | cut -d' ' -f2 | tr '\n' ' ' | sed 's/ $//')"
expect "no more than two" "ends" "$(sed -n 3p order | cut -d' ' -f2)"
expect "when a target ends" "-max_total_time=60 -runs=10000000" "$(with '. scripts/fuzz.sh
build=build jobs=2
for word in setup quietly heading total_at_the_end; do eval "$word() { :; }"; done
fuzz_targets() { say first; }
fuzz_at_once() { say "-max_total_time=$1 $2"; }
mkdir -p tests/fuzz/corpus/first
clang=0 && word_fuzz --minutes 1 first')"
rm -r build order scripts/dev

# Only the tests of some folders: these programs are built, and no test of another is looked for.
expect "what is built and run of two folders" "tsan: build run_test draws_test
tsan: ctest -R ^(run|draws)\\." "$(with '. scripts/tsan.sh
for word in heading configure seconds; do eval "$word() { :; }"; done
report() { cat build/tsan/tests.log; }
quietly() { shift && "$@"; }
compile() { shift && say "tsan: build $*"; }
run_tests() { shift && say "tsan: ctest $*"; }
build=build && mkdir -p build/tsan
build_and_test_some tsan ls run draws' | grep -v '^built')"
rm -r build

# apt: the first two calls find a lock.
mkdir bin
cat >bin/apt-get <<'EOF'
#!/bin/sh
echo "$@" >>calls
case $* in *no-such*) echo 'E: Unable to locate package no-such' >&2 && exit 100 ;; esac
[ "$(wc -l <calls)" -gt 2 ] || { echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1' >&2 && exit 100; }
EOF
chmod +x bin/apt-get
PATH=$PWD/bin:$PATH
expect "waiting for a lock, said once" "Waiting for another apt to finish, at most ten minutes …" \
  "$(with 'sleep() { :; }; root=; apt update')"
expect "tries" 3 "$(wc -l <calls)"
expect "other failures" "dev: apt-get install no-such failed:
E: Unable to locate package no-such" "$(with 'root=; apt install no-such' || :)"

# Where to install.
if [ "$(id -u)" -eq 0 ]; then as_anyone="setpriv --reuid=65534 --regid=65534 --clear-groups"; else as_anyone=; fi
# shellcheck disable=SC2086 # a command
refusal=$($as_anyone sh -c '. scripts/steps.sh; . scripts/install.sh; refuse_unwritable /usr/darboux/new' 2>&1) && echo "FAILED: /usr is not refused" && exit 1
expect "a prefix that cannot be written" "dev: install: /usr cannot be written to, so nothing can be installed under /usr/darboux/new." \
  "$(printf '%s\n' "$refusal" | head -n 1)"
touch file
expect "a prefix that is no folder" "dev: install: $PWD/file is no folder, so nothing can be installed under $PWD/file; choose another PREFIX" \
  "$(with 'refuse_unwritable "$PWD/file"' || :)"
expect "a prefix that will be made" "" "$(with 'refuse_unwritable "$PWD/new/one"')"
expect "what bash lacks" "export PATH=\"/opt/d/bin:\$PATH\"
source '/opt/d/share/bash-completion/completions/darboux'" "$(with 'lines_to_add /opt/d bash')"
expect "what zsh lacks" "fpath=('/opt/d/share/zsh/site-functions' \$fpath)   # before compinit" \
  "$(with 'PATH=$PATH:/opt/d/bin; lines_to_add /opt/d zsh')"
expect "what fish lacks" "fish_add_path '$HOME/.local/bin'" "$(with 'PATH=/usr/bin; lines_to_add "$HOME/.local" fish')"
