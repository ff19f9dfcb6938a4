#!/bin/sh
# simd.sh OBJECT…: kernels that are compiled for one kind of processor must not bring copies of shared inline functions.
# The linker keeps one copy of each for the whole program: it could be one that other processors cannot run.
set -eu
for object; do
  symbols=$(nm --demangle --defined-only "$object")
  if printf '%s\n' "$symbols" | grep -E '^[0-9a-f]+ [VWuvw] '; then
    echo "the functions above are shared, in $object: see src/linalg/vector.hpp"
    exit 1
  fi
done
