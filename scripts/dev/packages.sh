# shellcheck shell=sh
# The packages that ./dev needs, by apt where there is one.

to_build="cmake g++ git libboost-dev libcli11-dev libeigen3-dev libfmt-dev libgmock-dev libgtest-dev libnetcdf-dev librandom123-dev
  librapidcheck-dev libtomlplusplus-dev ninja-build nlohmann-json3-dev python3 zlib1g-dev"

# What bundles the page of darboux report. A Node.js that is already here is used, with its own npm: Debian's packages conflict
# with those of others.
node_packages() { command -v node >/dev/null || echo "nodejs npm"; }

# The command that a package is there for, if any: one from elsewhere serves as well.
command_of() {
  case $1 in
    ninja-build) echo ninja ;;
    nodejs) echo node ;;
    python3-pip) echo pip ;;
    dpkg-dev) echo dpkg-shlibdeps ;;
    openmpi-bin) echo mpirun ;;
    clang-[0-9]*) echo "clang++-${1#clang-}" ;;
    lib* | nlohmann* | zlib*) ;;
    *) echo "$1" ;;
  esac
}

is_here() {
  command=$(command_of "$1")
  if [ -n "$command" ] && command -v "$command" >/dev/null; then return 0; fi
  if command -v dpkg-query >/dev/null; then
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
  else
    [ -z "$command" ] # a library; CMake will say if it is not here
  fi
}

missing() { for package; do is_here "$package" || printf ' %s' "$package"; done; }
offered() {
  for package; do
    if apt-cache policy "$package" | grep -q 'Candidate: [^(]'; then printf ' %s' "$package"; fi
  done
}

# apt ARGUMENT…: apt-get as root. It waits ten minutes for another one at work, by trying again: apt's own option for that,
# DPkg::Lock::Timeout, knows nothing of the lock that an update takes.
apt() {
  left=120
  until messages=$($root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" 2>&1 >/dev/null); do
    case $messages in *"Could not get lock"*) ;; *) left=0 ;; esac
    [ "$left" -gt 0 ] || die "apt-get $* failed:
$messages"
    [ "$left" -lt 120 ] || say "Waiting for another apt to finish, at most ten minutes …"
    left=$((left - 1))
    sleep 5
  done
  say "$messages" | grep '^W:' >&2 || : # an update that could not reach all of its sources
}

# setup PURPOSE REQUIRED OPTIONAL: installs what is missing of two lists of packages. Optional ones may stay missing
# where the distribution does not offer them.
# shellcheck disable=SC2046,SC2086 # lists
setup() {
  required=$(missing $2)
  optional=$(missing $3)
  [ -n "$required$optional" ] || return 0
  if ! command -v apt-get >/dev/null; then
    [ -z "$required" ] || die "please install, $1 (names as in Debian; there is no apt-get here):$required"
    return 0
  fi
  root=
  if [ "$(id -u)" -ne 0 ]; then
    root=sudo
    command -v sudo >/dev/null ||
      die "no sudo here; please run as root, $1:  apt-get update && apt-get install$required$(offered $optional)"
  fi
  if [ -n "$required" ] || [ -z "$(find /var/lib/apt/lists -name '*Packages*')" ]; then
    say "Missing, $1:$required$optional. Asking apt."
    apt update
  fi
  install="$required$(offered $optional)"
  [ -n "$install" ] || return 0
  say "Installing, $1:$install"
  apt -y --no-install-recommends install $install
}
