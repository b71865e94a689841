#!/usr/bin/env bash
# From a plain clone to the main job in one command: installs missing packages, builds, and lets xqacheck judge the built-in
# kernels on random cases. Arguments replace the default ones of `xqacheck verify`, e.g. ./run.sh --cases 50 --seed 7
set -euo pipefail
cd "$(dirname "$0")"
scripts/install-packages.sh
scripts/build.sh default xqacheck xqacheck-worker
scripts/left-out.sh

mkdir -p xqacheck-results
if [ $# -eq 0 ]; then
  # On each built-in host kernel, with a fixed seed so that two people who run this see the same thing.
  set -- --cases 60 --seed 1
fi
echo "run: build/bin/xqacheck verify $* --json xqacheck-results/verify.jsonl --junit xqacheck-results/verify.xml"
status=0
build/bin/xqacheck verify "$@" --json xqacheck-results/verify.jsonl --junit xqacheck-results/verify.xml || status=$?
build/bin/xqacheck report xqacheck-results/verify.jsonl -o xqacheck-results/verify.html ||
  echo "run: no page was made of the results" >&2
echo "run: results are in xqacheck-results/verify.jsonl and xqacheck-results/verify.xml; read xqacheck-results/verify.html"
exit "$status"
