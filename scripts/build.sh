#!/usr/bin/env bash
# Configures and builds a preset (default: `default`, in build/), with all cores.
#   scripts/build.sh [PRESET [TARGET…]]     without TARGETs: everything
# XQACHECK_CONFIGURE holds further arguments of the configure step, e.g. XQACHECK_CONFIGURE=-DXQACHECK_WERROR=ON
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset="${1:-default}"
[ $# -eq 0 ] || shift

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
read -r -a configure <<<"${XQACHECK_CONFIGURE:-}"
cmake --preset "$preset" "${configure[@]}" >"$log" 2>&1 || {
  cat "$log" >&2
  echo "build: the configure step failed (a build folder of another machine or compiler? remove it and try again)" >&2
  exit 3
}
targets=()
[ $# -eq 0 ] || targets=(--target "$@")
cmake --build --preset "$preset" "${targets[@]}"
