#!/usr/bin/env bash
# Configures and builds a preset (default: `default`, in build/), with all cores. Further arguments go to CMake's configure step.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset="${1:-default}"
[ $# -eq 0 ] || shift

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
cmake --preset "$preset" "$@" >"$log" 2>&1 || {
  cat "$log" >&2
  echo "build: the configure step failed (a build folder of another machine or compiler? remove it and try again)" >&2
  exit 3
}
cmake --build --preset "$preset"
