#!/usr/bin/env bash
# One tool of compute-sanitizer over a corpus: sanitizer.sh memcheck|initcheck BIN_FOLDER
#
# The kernel runs in the very process that the tool starts (`xqacheck run`), every tensor in an allocation of its exact
# size, scratch and output uninitialised. First a control: a twin of the example plug-in with one planted fault, which the
# tool must report; only then does silence about the corpus mean anything. What fixtures/sanitizer/known-false-positives.txt
# names, with its reason, is not counted. Exit codes: 0 clean, 1 findings or a blind tool, 77 skipped: no tool or no GPU.
set -euo pipefail
tool=$1
bin=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
corpus=fixtures/corpora/sanitizer.txt
known=fixtures/sanitizer/known-false-positives.txt

# The fault, and what the tool says about it.
options=()
case $tool in
  memcheck)  # reads one element past q
    options=(--padding 512)  # else the next allocation begins where one ends, and may be read
    find='d < p.head_dim; ++d) dot' replace='d <= p.head_dim; ++d) dot' says='Invalid __global__ read' ;;
  initcheck) # reads scratch before it has written it
    find='float largest = -FLT_MAX,' replace='float largest = weights[threadIdx.x % p.max_seq_len] > 1e38f ? 1e38f : -FLT_MAX,'
    says='Uninitialized __global__ memory read' ;;
  *) echo "sanitizer.sh: memcheck or initcheck is needed, not '$tool'" >&2; exit 2 ;;
esac

sanitizer=$(command -v compute-sanitizer || true)
for place in /usr/local/cuda/bin/compute-sanitizer /usr/local/cuda/compute-sanitizer/compute-sanitizer; do
  [ -n "$sanitizer" ] || { [ -x $place ] && sanitizer=$place; } || true
done
[ -n "$sanitizer" ] || { echo "sanitizer: skipped, there is no compute-sanitizer on this machine"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$bin/xqacheck" run --kernel mmha --case 'xqa/1 len=1' > "$work/probe" 2>&1; then
  if grep -q 'needs a CUDA device' "$work/probe"; then
    echo "sanitizer: skipped, $(cat "$work/probe")"
    exit 77
  fi
  cat "$work/probe"
  exit 1
fi

# One line a finding: the message and the kernel it is about.
findings() {
  awk '
    function flush() { if (message != "") print message " | " at; message = ""; at = "" }
    /^========= (COMPUTE-SANITIZER|ERROR SUMMARY|LEAK SUMMARY|Target application|$)/ { flush(); next }
    /^========= [^ ]/ { flush(); message = substr($0, 11); next }
    /^=========     +at / { if (at == "") { sub(/^=========     +at /, ""); at = $0 } }
    END { flush() }' "$1"
}
# Findings that no entry "tool | pattern | reason" of the list explains.
unexplained() {
  findings "$1" > "$work/findings"
  while IFS= read -r finding; do
    excused=no
    while IFS='|' read -r of pattern _; do
      case $of in '#'* | '') continue ;; esac
      pattern=$(echo "$pattern" | sed 's/^ *//; s/ *$//')
      [ "${of// /}" != "$tool" ] || ! grep -Eq -- "$pattern" <<< "$finding" || excused=yes
    done < "$known"
    [ $excused = yes ] || echo "$finding"
  done < "$work/findings"
}

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
sed "s/$find/$replace/" examples/cuda-plugin/plugin.cu > "$work/twin.cu"
if cmp -s examples/cuda-plugin/plugin.cu "$work/twin.cu"; then
  echo "sanitizer: the example plug-in no longer holds the text of the planted fault: $find"
  exit 1
fi
"$nvcc" -shared -std=c++17 -arch=native -Xcompiler -fPIC -I kernels/abi -cudart static "$work/twin.cu" -o "$work/twin.so"
"$sanitizer" --tool "$tool" "${options[@]}" "$bin/xqacheck" run --kernel "$work/twin.so" --case 'xqa/1 len=70' > "$work/control" 2>&1 || true
if ! grep -q "$says" "$work/control"; then
  echo "sanitizer: $tool does not report the planted fault ($says): its silence would mean nothing"
  cat "$work/control"
  exit 1
fi
echo "control: $(findings "$work/control" | sort | uniq -c | sort -rn | head -1)"

cases=$(grep -cv -e '^#' -e '^$' "$corpus")
"$bin/xqacheck" precompile --quiet --corpus "$corpus"  # compiling under the tool would only take time
"$sanitizer" --tool "$tool" "${options[@]}" "$bin/xqacheck" run --kernel mmha --corpus "$corpus" > "$work/log" 2>&1 || true
if ! grep -q "^$cases runs on" "$work/log"; then
  echo "sanitizer: not all $cases cases ran"
  tail -40 "$work/log"
  exit 1
fi
unexplained "$work/log" > "$work/unexplained"
total=$(findings "$work/log" | wc -l)
left=$(wc -l < "$work/unexplained")
echo "$tool: $(grep "^$cases runs on" "$work/log"): $total findings, $left not in the list of known false positives"
if [ "$left" -ne 0 ]; then
  sort "$work/unexplained" | uniq -c | sort -rn | head -20
  exit 1
fi
