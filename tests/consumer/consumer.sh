#!/bin/sh
# consumer.sh BUILD CXX: install what was built in BUILD, build the program beside this script and those in
# the README and docs/own-models.md against it, and run them; have the installed program write a report, and shells complete its commands.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$1" --prefix "$scratch/prefix" >/dev/null
for page in README docs/own-models; do
  # shellcheck disable=SC2016  # the backquotes are Markdown's
  sed -n '/^```cpp/,/^```$/p' "$here/../../$page.md" | sed '/^```/d' >"$scratch/$(basename $page).cpp"
done
cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER="$2" \
  -DPROGRAMS="$scratch/README.cpp;$scratch/own-models.cpp"
cmake --build "$scratch/build"
"$scratch/build/consumer"
"$scratch/build/README" | grep 'q\[1\]'
"$scratch/build/own-models" >"$scratch/schools"
grep '^tau ' "$scratch/schools"
grep '^theta\[8\] ' "$scratch/schools"

# So do its licence, and those of what is linked or bundled.
for file in LICENSE NOTICES.txt; do cmp "$here/../../$file" "$scratch/prefix/share/doc/darboux/$file"; done

# The data sets come with the program, in the build tree as installed.
if [ -e "$scratch/prefix/bin/darboux" ]; then
  for share in "$1/share" "$scratch/prefix/share"; do
    for file in "$here"/../../data/*.csv "$here"/../../data/README.md; do
      cmp "$file" "$share/darboux/data/$(basename "$file")"
    done
  done
fi

# The installed program needs neither LD_LIBRARY_PATH nor the place that it was installed to.
if [ -e "$scratch/prefix/bin/darboux" ]; then
  unset LD_LIBRARY_PATH
  mv "$scratch/prefix" "$scratch/moved"
  [ "$("$scratch/moved/bin/darboux" --version)" = "$("$1/bin/darboux" --version)" ]
  mv "$scratch/moved" "$scratch/prefix"
  grep -q '^.SH "DARBOUX sample"$' "$scratch/prefix/share/man/man1/darboux.1"
  "$here/completions.sh" "$scratch/prefix"
fi

# It finds its page, where that could be built.
if [ -e "$scratch/prefix/share/darboux/report.html" ]; then
  "$scratch/prefix/bin/darboux" sample gaussian --seed 1 --quiet --out "$scratch/run"
  "$scratch/prefix/bin/darboux" report "$scratch/run" | grep "Written to $scratch/run/report.html"
fi
