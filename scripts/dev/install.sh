# shellcheck shell=sh
# ./dev install: the program, its manual page and completions, the library and the data, under a prefix.

# refuse_unwritable PREFIX: before anything is built. A folder that is missing gets made, so the next one above it counts.
refuse_unwritable() {
  for folder in "$1/bin" "$1/include" "$1/lib" "$1/share"; do
    while [ ! -e "$folder" ]; do folder=$(dirname "$folder"); done
    [ -d "$folder" ] || die "install: $folder is no folder, so nothing can be installed under $1; choose another PREFIX"
    [ -w "$folder" ] || die "install: $folder cannot be written to, so nothing can be installed under $1.
Choose another PREFIX (~/.local when absent), or: sudo DARBOUX_BUILD=build/root ./dev install $1"
  done
}

is_on_path() { case :$PATH: in *":$1:"*) ;; *) return 1 ;; esac }
# Where bash's package of completions and fish look by themselves.
is_usual() { case $1 in "$HOME/.local" | /usr/local | /usr) ;; *) return 1 ;; esac }

# lines_to_add PREFIX SHELL: what the shell's start-up file may lack for the program and its completions to be found.
lines_to_add() {
  if is_on_path "$1/bin"; then :
  elif [ "$2" = fish ]; then say "fish_add_path '$1/bin'"
  else say "export PATH=\"$1/bin:\$PATH\""; fi
  case $2 in
    bash)
      { is_usual "$1" && [ -e /usr/share/bash-completion/bash_completion ]; } ||
        say "source '$1/share/bash-completion/completions/darboux'"
      ;;
    zsh) [ "$1" = /usr/local ] || say "fpath=('$1/share/zsh/site-functions' \$fpath)   # before compinit" ;;
    fish) is_usual "$1" || say "source '$1/share/fish/vendor_completions.d/darboux.fish'" ;;
  esac
}

say_where() { # PREFIX
  cat <<EOF

Installed under $1:
  bin/darboux      the program; its manual page: man darboux
  share/           completions for bash, zsh and fish; the data sets; the page of reports
  include/, lib/   the library, which CMake finds with -DCMAKE_PREFIX_PATH=$1

EOF
  if is_on_path "$1/bin"; then say "$1/bin is on your PATH."; else say "$1/bin is not on your PATH."; fi
  shell=$(basename "${SHELL:-sh}")
  case $shell in
    bash | zsh) file=.${shell}rc ;;
    fish) file=.config/fish/config.fish ;;
    *) file=.profile ;;
  esac
  lines=$(lines_to_add "$1" "$shell")
  [ -z "$lines" ] || say "Add to $HOME/$file, for the program and its completions to be found:
$(say "$lines" | sed 's/^/  /')"
  first=$(command -v darboux) || return 0
  [ "$first" = "$1/bin/darboux" ] || say "Note: darboux is $first, which comes before it on your PATH."
}

word_install() { # [PREFIX]
  case ${1:-} in -*) die "install: unknown option $1; ./dev install [PREFIX]" ;; esac
  [ $# -le 1 ] || die "install: one PREFIX, not $#: $*"
  prefix=${1:-${HOME:?}/.local}
  case $prefix in /*) ;; *) prefix=$called_from/$prefix ;; esac
  prefix=${prefix%/}
  refuse_unwritable "$prefix"
  setup "to build and install" "$to_build" "$(node_packages)"
  make_release darboux darboux_program manual completions report_page
  quietly "install" cmake --install "$build/release" --prefix "$prefix"
  say_where "$prefix"
}
