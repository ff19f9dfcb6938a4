#!/bin/sh
# consumer.sh BUILD CXX: install what was built in BUILD, build the program beside this script and the one in
# the README against it, and run them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$1" --prefix "$scratch/prefix" >/dev/null
sed -n '/^```cpp/,/^```$/p' "$here/../../README.md" | sed '/^```/d' >"$scratch/readme.cpp"
cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER="$2" \
  -DREADME_PROGRAM="$scratch/readme.cpp"
cmake --build "$scratch/build"
"$scratch/build/consumer"
"$scratch/build/readme" | grep 'truth -0.58'
