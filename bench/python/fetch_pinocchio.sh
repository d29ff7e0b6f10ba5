#!/bin/sh
# Installs Pinocchio's Python package `pin` into a private environment.
#
#   bench/python/fetch_pinocchio.sh DIRECTORY
#
# Without network or pip it says so, leaves nothing behind, and succeeds: the benchmark then runs without.
set -u
directory=$1
if "$directory/bin/python" -c "import pinocchio" 2>/dev/null; then
  exit 0
fi
rm -rf "$directory"
# The newest of what pin 3.7 asks for no longer fits it: liburdfdom 4 and libtinyxml2 10 do.
if /usr/bin/python3 -m venv "$directory" >/dev/null 2>&1 &&
  "$directory/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 30 \
    "pin==3.7.*" "cmeel-urdfdom<5" "cmeel-tinyxml2<11" >/dev/null 2>&1 &&
  "$directory/bin/python" -c "import pinocchio" 2>/dev/null; then
  echo "bench: installed Pinocchio's Python package"
else
  rm -rf "$directory"
  echo "bench: the package pin is out of reach; the benchmark runs without Pinocchio"
fi
