#!/bin/sh
# Brings the headers of Pinocchio, from the Python package `pin`, to DIRECTORY/include.
#
#   bench/fetch_pinocchio.sh [DIRECTORY]     default: build/peers/pinocchio
#
# Its algorithms are header templates, so nothing compiled is kept and nothing is installed; Eigen and
# Boost come from Debian. Without network or pip it says so, leaves nothing behind, and succeeds:
# the benchmark then runs without Pinocchio.
set -u

directory=${1:-$(dirname "$0")/../build/peers/pinocchio}
if [ -f "$directory/include/pinocchio/config.hpp" ]; then
  exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

leave_out() {
  echo "bench: $1; the benchmark runs without Pinocchio"
  exit 0
}

python3 -m pip --version >/dev/null 2>&1 || leave_out "python3 has no pip to fetch the package pin"

# 3.7 is the version the targets refer to; any other 3.x will do when it has gone.
for version in "==3.7.*" ">=3,<4"; do
  if python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --retries 1 --timeout 30 --dest "$scratch" "pin$version" >"$scratch/log" 2>&1; then
    break
  fi
done
set -- "$scratch"/pin-*.whl
[ -f "$1" ] || leave_out "the package pin is out of reach"

mkdir -p "$scratch/unpacked"
python3 -m zipfile -e "$1" "$scratch/unpacked" || leave_out "the package pin cannot be unpacked"
[ -f "$scratch/unpacked/cmeel.prefix/include/pinocchio/config.hpp" ] ||
  leave_out "the package pin holds no headers"

rm -rf "$directory"
mkdir -p "$directory.partial"
mv "$scratch/unpacked/cmeel.prefix/include" "$directory.partial/include"
mv "$directory.partial" "$directory"
echo "bench: fetched $(basename "$1" | cut -d- -f1,2)"
