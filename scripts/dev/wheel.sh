# shellcheck shell=sh
# The wheel that is given to others: for all Pythons from 3.12 on, and for Linux with a C library as old as this.
glibc=2.17
most_bytes=4000000

portable_wheel() {
  ZIG_FOLDER=$(echo "$PWD/$build"/python/wheel-tools/lib/python3*/site-packages/ziglang)
  export ZIG_FOLDER GLIBC="$glibc" ZIG_GLOBAL_CACHE_DIR="$PWD/$build/wheel/zig"
  make_wheel "$build/wheel/raw" CMAKE_CXX_COMPILER="$PWD/scripts/dev/zig-c++" \
    CMAKE_PROJECT_darboux_python_INCLUDE="$PWD/python/portable.cmake"
}
audited_wheel() { # in build/wheel/dist, by its name for the C library that it needs
  rm -rf "$build/wheel/dist"
  PATH=$PWD/$build/python/wheel-tools/bin:$PATH auditwheel repair --only-plat --plat "manylinux_$(echo "$glibc" | tr . _)_$(uname -m)" \
    --wheel-dir "$build/wheel/dist" "$build"/wheel/raw/*.whl
}
wheel() { echo "$build"/wheel/dist/*.whl; }
wheel_is_small() { [ "$(wc -c <"$(wheel)")" -le "$most_bytes" ]; }
wheel_has_page() { python3 -m zipfile -l "$(wheel)" | grep -q '^darboux/report.html '; }
# The module as it was linked, before auditwheel could add libraries to it, needs those of the C library alone.
wheel_stands_alone() {
  python3 -m zipfile -e "$build"/wheel/raw/*.whl "$build/wheel/module" &&
    needed=$(readelf -d "$build"/wheel/module/darboux/_core*.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') && [ -n "$needed" ] || return
  for library in $needed; do
    case $library in libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux*) ;;
    *) say "it needs $library" && return 1 ;; esac
  done
}
stable_interface() { "$build/python/wheel-tools/bin/abi3audit" --strict --summary "$(wheel)"; }

make_portable_wheel() { # PYTHON
  heading "wheel for glibc $glibc and later"
  with_packages "$build/python/tools" "$1" python/requirements/build.txt || return
  with_packages "$build/python/wheel-tools" "$1" python/requirements/wheel.txt || return
  if ! quietly "build the wheel" portable_wheel || ! quietly "auditwheel" audited_wheel; then
    count 0 1 0
    return 1
  fi
  say "$(wheel), $(wc -c <"$(wheel)") bytes ($(seconds))"
  check "at most $most_bytes bytes" wheel_is_small
  check "nothing linked but the C library" wheel_stands_alone
  check "stable interface of Python (abi3audit)" stable_interface
  if [ -e "$(report_page)" ]; then check "the page of reports is in it" wheel_has_page
  else skip "the page of reports could not be built here"; fi
}

# In environments of their own, one for each Python that is here.
test_portable_wheel() {
  for python in $(new_pythons); do
    version=$("$python" -c 'import platform; print(platform.python_version())')
    heading "the wheel with Python $version"
    with_packages "$build/python/fresh-$version" "$python" python/requirements/test.txt || continue
    if quietly "install the wheel" install_wheel "$build/python/fresh-$version" "$build/wheel/dist"
    then pytest_in "fresh-$version" "wheel-$version"
    else count 0 1 0; fi
  done
}

word_wheel() {
  total_at_the_end
  setup "to build the wheel" "$to_build gcc" "$(node_packages)"
  python=$(new_python) || die "wheel: there is no Python 3.12 or later here"
  make_release darboux_program report_page
  if make_portable_wheel "$python"; then test_portable_wheel; fi
  test_without_lock
}
