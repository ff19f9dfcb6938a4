#!/bin/sh
# exports.sh LIBRARY HEADERS: programs that link the library see what the public headers declare, and nothing else.
set -eu
nm --dynamic --demangle --defined-only "$1" | cut -d' ' -f3- | grep -v '^DARBOUX_[0-9]*$' |
  sed -E 's/^(non-virtual thunk to|(typeinfo|vtable|VTT|guard variable|typeinfo name) for) //' | sort -u >exported.txt
[ "$(grep -c '^darboux::' exported.txt)" -gt 50 ] || { echo "hardly anything of darboux is exported"; exit 1; }
if grep -v '^darboux::' exported.txt | grep -v ' darboux::' | grep -v '^std::.* darboux::'; then
  echo "the names above are not ours and must not be exported: see cmake/darboux.map"
  exit 1
fi
cat $(find "$2" -name '*.hpp') >headers.txt
status=0
for name in $(sed -nE 's/^(.* )?darboux::([A-Za-z_]+).*/\2/p' exported.txt | sort -u); do
  grep -qw "$name" headers.txt || { echo "$name is exported, but no public header declares it" && status=1; }
done
rm -f exported.txt headers.txt
exit $status
