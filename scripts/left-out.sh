#!/usr/bin/env bash
# Says what this machine leaves out, so that nobody takes a silent gap for a pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
nvcc="$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)"
if [ -z "$nvcc" ]; then
  echo "left out: no CUDA toolkit (nvcc) found: the CUDA plug-in example is not compiled"
fi
if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null || ! /usr/bin/python3 -c 'import selenium' 2>/dev/null; then
  echo "left out: no Chromium that Selenium can drive (scripts/packages-browser.txt): the test of the HTML report in a browser is skipped"
fi
if [ ! -e /dev/nvidiactl ]; then
  echo "left out: no NVIDIA GPU found: tests with label gpu do not run"
fi
