#!/usr/bin/env bash
# Proves the two-commands promise on a machine that has nothing: makes a bare Debian root with debootstrap, puts a plain clone of
# the committed tree in, runs each command in a fresh copy of that root, then once more without a network, and prints the times.
#
#   sudo scripts/check-bare-root.sh [--suite bookworm] [--mirror URL] [--dir DIR] [--cpus N] [COMMAND…]
#
# COMMANDs default to ./run.sh and ./test.sh. DIR (default /var/tmp/xqacheck-bare) takes about 2 GB a command and is emptied
# at the end; the pristine root DIR/SUITE stays for the next time. Needs root, debootstrap, git and util-linux.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

suite=bookworm mirror=http://deb.debian.org/debian dir=/var/tmp/xqacheck-bare cpus=2 commands=()
while [ $# -gt 0 ]; do
  case "$1" in
    --suite) suite="$2" && shift 2 ;;
    --mirror) mirror="$2" && shift 2 ;;
    --dir) dir="$2" && shift 2 ;;
    --cpus) cpus="$2" && shift 2 ;;
    --help | -h) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
    -*) echo "check-bare-root: unknown option $1 (see --help)" >&2 && exit 2 ;;
    *) commands+=("$1") && shift ;;
  esac
done
[ ${#commands[@]} -gt 0 ] || commands=(./run.sh ./test.sh)
[ "$(id -u)" = 0 ] || { echo "check-bare-root: chroot and debootstrap need root" >&2 && exit 3; }
for tool in debootstrap git unshare taskset; do
  command -v "$tool" >/dev/null || { echo "check-bare-root: $tool is missing" >&2 && exit 3; }
done

# What is judged, whatever is committed while it runs.
commit="$(git rev-parse --short HEAD)"
mkdir -p "$dir"
if [ ! -e "$dir/$suite/.complete" ]; then
  rm -rf "${dir:?}/$suite"
  debootstrap --variant=minbase "$suite" "$dir/$suite" "$mirror" >"$dir/debootstrap.log" 2>&1 ||
    { tail -n 5 "$dir/debootstrap.log" >&2 && exit 3; }
  touch "$dir/$suite/.complete"
fi

# Mounts live in a namespace of their own and vanish with it; so do processes that a test might leave behind.
in_root() { # in_root ROOT [--net] COMMAND
  local root="$1" options=(--mount --pid --fork --kill-child --propagation private)
  shift
  [ "$1" != --net ] || { options+=(--net) && shift; }
  # shellcheck disable=SC2016  # expanded by the inner shell
  taskset -c "0-$((cpus - 1))" unshare "${options[@]}" bash -c '
    set -e
    mount -t proc proc "$1/proc"
    mount -t tmpfs tmpfs "$1/dev"
    for node in null zero full random urandom tty; do touch "$1/dev/$node" && mount --bind "/dev/$node" "$1/dev/$node"; done
    ln -s /proc/self/fd "$1/dev/fd"
    mkdir "$1/dev/shm" && mount -t tmpfs tmpfs "$1/dev/shm"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash -c "cd /xqacheck && $2"
  ' in_root "$root" "$1"
}

failed=0 summary=() root=
TIMEFORMAT='%0R s, processor time %0U + %0S s'
trap '[ -z "$root" ] || rm -rf "$root"' EXIT  # mounts are gone with their namespace
for command in "${commands[@]}"; do
  root="$dir/trial.$$"
  cp -a "$dir/$suite" "$root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  git clone --quiet --no-hardlinks . "$root/xqacheck"
  git -C "$root/xqacheck" checkout --quiet --detach "$commit"
  for round in "from scratch" "again, offline"; do
    net=()
    [ "$round" = "from scratch" ] || net=(--net)
    status=0
    exec 3>&1 4>&2
    # Wall time, and processor time of all processes: on a busy machine the second divided by the CPUs tells more.
    took="$({ time in_root "$root" "${net[@]}" "$command" >&3 2>&4 || status=$?; exit "$status"; } 2>&1)" || status=$?
    exec 3>&- 4>&-
    summary+=("$(printf '%-14s %-15s exit %d  %s' "$command" "$round" "$status" "$took")")
    [ "$status" = 0 ] || failed=1
  done
  rm -rf "$root"
done
echo "check-bare-root: $suite, $cpus CPUs, commit $commit"
printf '  %s\n' "${summary[@]}"
exit "$failed"
