#!/bin/sh
# page.sh SOURCE: where npm reaches no registry, the build goes on without the page of darboux report, and says so.
set -eu
for tool in node npm; do
  command -v $tool >/dev/null || { echo "skipped: no $tool here"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

npm_config_offline=true npm_config_cache="$scratch/cache" cmake -D SOURCE="$1/web" -D WORK="$scratch/web" \
  -D PAGE="$scratch/report.html" -D NODE=node -D NPM=npm -P "$1/cmake/ReportPage.cmake" 2>&1 | tee "$scratch/log"
grep -q 'Without the page of darboux report: npm could not fetch the packages' "$scratch/log"
[ ! -e "$scratch/report.html" ]
