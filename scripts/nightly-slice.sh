#!/usr/bin/env bash
# Runs one slice of the tests with label `nightly`: every XQACHECK_SLICES-th one (default 12), beginning at XQACHECK_SLICE
# (default: the day), so that all have run after twelve days.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
slices="${XQACHECK_SLICES:-12}"
slice=$((${XQACHECK_SLICE:-$(($(date +%s) / 86400))} % slices))

mapfile -t all < <(ctest --test-dir build -N -L '^nightly$' | sed -n 's/^ *Test *#[0-9]*: //p')
chosen=()
for i in "${!all[@]}"; do
  [ $((i % slices)) -ne "$slice" ] || chosen+=("${all[$i]}")
done
echo "nightly-slice: slice $slice of $slices, ${#chosen[@]} of ${#all[@]} tests"
[ ${#chosen[@]} -gt 0 ] || exit 0
pattern="$(IFS='|' && echo "${chosen[*]}")"
ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" -R "^(${pattern})\$"
