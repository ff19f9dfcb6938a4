#!/bin/sh
# deb.sh BUILD: make the Debian package, look whether library, headers, package configuration, manual page and completions are in it.
set -eu
for tool in dpkg-shlibdeps file; do # CPack needs both to find the dependencies
  command -v $tool >/dev/null || { echo "skipped: no $tool here"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cpack --config "$1/CPackConfig.cmake" -B "$scratch" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
dpkg-deb --info "$scratch"/*.deb
dpkg-deb --contents "$scratch"/*.deb | tee "$scratch/contents"
has() { # PATTERN…
  for file; do grep -q "$file" "$scratch/contents" || { echo "missing: $file" && exit 1; }; done
}
has 'doc/darboux/copyright' 'doc/darboux/NOTICES\.txt'
has 'libdarboux\.so\.0\.' 'darboux/core/batch\.hpp' 'darboux/version\.hpp' 'darbouxConfig\.cmake'
[ ! -e "$1/bin/darboux" ] || has 'man1/darboux\.1' 'completions/darboux$' 'site-functions/_darboux' 'darboux\.fish'
