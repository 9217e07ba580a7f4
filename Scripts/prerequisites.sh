# Finds all that the scripts need: a toolchain, the headers of the system's libraries, tools, the program.
# Sourced by the scripts beside it, which run in the root of the package.

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# The oldest toolchain that will do is the one that Package.swift names.
require_swift() {
  local needed found
  needed=$(sed -n '1s|^// swift-tools-version: *||p' Package.swift)
  command -v swift >/dev/null ||
    fail "No Swift toolchain on the PATH: Gatehouse needs Swift $needed or later, from https://swift.org/install."
  found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
  [ -n "$found" ] || fail "'swift --version' does not work on this machine; Gatehouse needs Swift $needed or later."
  [ "$(printf '%s\n' "$needed" "$found" | sort -V | head -n 1)" = "$needed" ] ||
    fail "Swift $found is too old: Gatehouse needs Swift $needed or later, from https://swift.org/install."
}

has_header() {
  local directory
  for directory in /usr/include /usr/include/*-linux-gnu /usr/local/include; do
    [ -e "$directory/$1" ] && return 0
  done
  return 1
}

# install PACKAGE…: through apt-get where this user may; otherwise says what to run and fails.
install() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      as_root=(sudo)
    else
      say "Missing system packages. Run this as root, then try again:"
      say "  apt-get update && apt-get install -y $*"
      return 1
    fi
  fi
  if ! command -v apt-get >/dev/null; then
    say "Missing system packages, and no apt-get here. Install what Debian calls: $*"
    return 1
  fi
  say "Installing $*"
  "${as_root[@]}" apt-get update -qq </dev/null >&2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$@" </dev/null >&2
}

require_libraries() {
  local missing=()
  has_header sqlite3.h || missing+=(libsqlite3-dev)
  has_header openssl/ssl.h || missing+=(libssl-dev)
  has_header curl/curl.h || missing+=(libcurl4-openssl-dev)
  [ ${#missing[@]} -eq 0 ] || install "${missing[@]}" || exit 1
}

# require_tools NAME…: installs what is missing, packages being named as their tools.
require_tools() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || install "$tool" || exit 1
  done
}

# require_release PRODUCT: $program becomes the product's release build, made now as that of the image is: with Swift's
# library linked in, which spares its callers a jump.
require_release() {
  local how=(--configuration release -Xswiftc -static-stdlib)
  require_swift
  require_libraries
  swift build "${how[@]}" --product "$1" >&2
  program=$(swift build "${how[@]}" --show-bin-path)/$1
}

# forget_variables: forgets what tells scripts something: the server would take it for settings, and refuse it.
forget_variables() {
  unset GATEHOUSE_PROGRAM GATEHOUSE_SHARED GATEHOUSE_SCALE GATEHOUSE_ABUSE
}

# require_gatehouse: $gatehouse becomes the program that $GATEHOUSE_PROGRAM names, or the release build, made now. What
# the variables say has to be read before.
require_gatehouse() {
  gatehouse=${GATEHOUSE_PROGRAM:-}
  forget_variables
  [ -n "$gatehouse" ] && return
  require_release gatehouse
  gatehouse=$program
}

# require_program ARGUMENT…: $arguments becomes these, with --program and the release build where they name none.
require_program() {
  arguments=("$@")
  if [[ " $* " == *" --program "* ]]; then
    forget_variables
    return
  fi
  require_gatehouse
  arguments+=(--program "$gatehouse")
}
