#!/usr/bin/env bash
# Installs the packages of the given lists (default: packages.txt) that are missing. Does not touch apt when all are there,
# so that everything works offline afterwards. Debian or Ubuntu, as root or with sudo.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
lists=("$@")
[ ${#lists[@]} -gt 0 ] || lists=("$here/packages.txt")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-packages: this is not a Debian or Ubuntu system; install the equivalents of ${lists[*]} by hand" >&2
  echo "  (to go on without this check: XQACHECK_SKIP_PACKAGES=1)" >&2
  [ "${XQACHECK_SKIP_PACKAGES:-0}" = 1 ] && exit 0
  exit 3
fi
[ "${XQACHECK_SKIP_PACKAGES:-0}" = 1 ] && exit 0

missing=()
while read -r package _; do
  case "$package" in '' | '#'*) continue ;; esac
  status="$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)"
  [ "$status" = installed ] || missing+=("$package")
done < <(cat "${lists[@]}")
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-packages: missing ${missing[*]}; run as root, or install sudo" >&2
    exit 3
  fi
  as_root=(sudo)
fi

# The package lists may be absent (fresh image) or old: try with what is there first, since `update` needs the network.
apt_install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}
echo "install-packages: installing ${missing[*]}"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
apt_install >"$log" 2>&1 || { "${as_root[@]}" apt-get update -q >"$log" 2>&1 && apt_install >>"$log" 2>&1; } || {
  tail -n 20 "$log" >&2
  echo "install-packages: could not install ${missing[*]}" >&2
  echo "  no network? connect once, or install these packages from another source; nothing else is downloaded later" >&2
  exit 3
}
