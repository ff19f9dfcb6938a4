#!/bin/sh
# consumer.sh BUILD CXX: install what was built in BUILD, build the program beside this script against it, run it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$1" --prefix "$scratch/prefix" >/dev/null
cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER="$2"
cmake --build "$scratch/build"
"$scratch/build/consumer"
