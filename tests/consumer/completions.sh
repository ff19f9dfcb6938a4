#!/bin/sh
# completions.sh PREFIX: what bash, and fish and zsh where they are here, make of the installed completions.
# shellcheck disable=SC2016 # fish expands it
set -eu
share=$1/share
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/folder"
touch "$scratch/german.csv"
cd "$scratch"

expect() { # WHAT EXPECTED FOUND: lines in any order
  found=$(printf '%s\n' "$3" | sort)
  expected=$(printf '%s\n' "$2" | tr ' ' '\n' | sort)
  [ "$found" = "$expected" ] || { printf 'FAILED: %s\nexpected:\n%s\nfound:\n%s\n' "$1" "$expected" "$found" && exit 1; }
}

trajectories=$("$1/bin/darboux" sample --help | sed -n 's/^ *--trajectory \([a-z|]*\).*/\1/p' | tr '|' ' ')
# same NAME COMPLETE: what any of the shells has to answer.
same() {
  expect "$1: a command" sample "$($2 'darboux sam')"
  expect "$1: a flag" "--trajectory --trajectory-time" "$($2 'darboux sample --tra')"
  expect "$1: words" "$trajectories" "$($2 'darboux sample --trajectory ')"
  expect "$1: words that begin so" nuts "$($2 'darboux sample logistic --trajectory n')"
  expect "$1: digits" "2 4" "$($2 'darboux check --order ')"
  expect "$1: nothing for a number" "" "$($2 'darboux sample --chains ')"
  expect "$1: models" "skewed student-t" "$($2 'darboux compare s')"
  expect "$1: structures" coupled "$($2 'darboux structure cou')"
  expect "$1: a structure that is left to us" auto "$($2 'darboux sample --structure a')"
  expect "$1: experiments" "beyond binding" "$($2 'darboux reproduce b')"
  expect "$1: shells" zsh "$($2 'darboux completions z')"
}

bash -n "$share/bash-completion/completions/darboux"
cat >complete.bash <<'EOF'
source "$1"
read -ra COMP_WORDS <<<"$2"
[[ $2 != *" " ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { compgen -A "$([[ $2 == default ]] && echo file || echo directory)" -- "${COMP_WORDS[COMP_CWORD]}"; }
_darboux
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
EOF
in_bash() { bash complete.bash "$share/bash-completion/completions/darboux" "$1"; }
same bash in_bash
expect "bash: files" german.csv "$(in_bash 'darboux sample --data ger')"
expect "bash: folders" folder "$(in_bash 'darboux reproduce --out ')"
expect "bash: folders of runs" folder "$(in_bash 'darboux resume ')"
expect "bash: words in --flag=value" nuts "$(in_bash 'darboux sample --trajectory = n')" # as bash takes it apart
expect "bash: one model is enough" "" "$(in_bash 'darboux sample logistic s')"

if command -v fish >/dev/null; then
  PATH=$1/bin:$PATH # fish completes what it finds
  in_fish() { XDG_DATA_DIRS=$share HOME=$scratch fish -c 'complete -C "$argv[1]"' "$1" | cut -f 1; }
  same fish in_fish
  expect "fish: files" german.csv "$(in_fish 'darboux sample --data ger')"
  expect "fish: folders" folder/ "$(in_fish 'darboux reproduce --out ')"
  expect "fish: words in --flag=value" --trajectory=nuts "$(in_fish 'darboux sample --trajectory=n')"
fi
if command -v zsh >/dev/null; then zsh -n "$share/zsh/site-functions/_darboux"; fi
head -n 1 "$share/zsh/site-functions/_darboux" | grep -qx '#compdef darboux'
