#!/usr/bin/env bash
# Every test that needs no GPU: installs missing packages, builds, runs ctest. --nightly adds the long tests; other arguments go
# to ctest, e.g. ./test.sh -R kernels
set -euo pipefail
cd "$(dirname "$0")"
left_out='^(nightly|gpu|open)$'
if [ "${1:-}" = --nightly ]; then
  left_out='^(gpu|open)$'
  shift
fi
scripts/install-packages.sh
scripts/install-packages.sh scripts/packages-browser.txt || echo "test: going on without a browser" >&2
scripts/build.sh default
scripts/left-out.sh
ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" -LE "$left_out" "$@"
