#!/bin/sh
# exports.sh LIBRARY HEADERS: programs that link the library see what the public headers declare, and nothing else.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
nm --dynamic --demangle --defined-only "$1" | cut -d' ' -f3- | grep -v '^DARBOUX_[0-9]*$' |
  sed -E 's/^(non-virtual thunk to|(typeinfo|vtable|VTT|guard variable|typeinfo name) for) //' | sort -u >"$scratch/exported"
[ "$(grep -c '^darboux::' "$scratch/exported")" -gt 50 ] || { echo "hardly anything of darboux is exported"; exit 1; }
if grep -v '^darboux::' "$scratch/exported" | grep -v ' darboux::' | grep -v '^std::.* darboux::'; then
  echo "the names above are not ours and must not be exported: see cmake/darboux.map"
  exit 1
fi
# shellcheck disable=SC2046 # no blanks in names
cat $(find "$2" -name '*.hpp') >"$scratch/headers"
status=0
# shellcheck disable=SC2013 # names have no blanks
for name in $(sed -nE 's/^(.* )?darboux::([A-Za-z_0-9]+).*/\2/p' "$scratch/exported" | sort -u); do
  grep -qw "$name" "$scratch/headers" || { echo "$name is exported, but no public header declares it" && status=1; }
done
exit $status
