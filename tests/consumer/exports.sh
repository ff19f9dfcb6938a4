#!/bin/sh
# exports.sh LIBRARY: nothing but our own names may be visible to programs that link the library.
set -eu
names=$(nm --dynamic --demangle --defined-only "$1" | cut -d' ' -f3-)
[ "$(echo "$names" | grep -c 'darboux::')" -gt 0 ] || { echo "exports nothing of darboux"; exit 1; }
if echo "$names" | grep -E '^((typeinfo( name)?|vtable) for )?(std|Eigen|fmt|nlohmann|r123)::|^_'; then
  echo "the names above must not be exported: see cmake/darboux.map"
  exit 1
fi
