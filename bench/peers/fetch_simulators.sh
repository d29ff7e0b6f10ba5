#!/bin/sh
# Installs MuJoCo and Drake from PyPI into a private environment, for bench/peers/simulations.py.
#
#   bench/peers/fetch_simulators.sh DIRECTORY
#
# Each that is out of reach is left out; it always succeeds.
set -u
directory=$1
"$directory/bin/python" -c "" 2>/dev/null ||
  /usr/bin/python3 -m venv --system-site-packages "$directory" >/dev/null 2>&1 || exit 0
for package in mujoco drake; do
  module=$package
  [ $package = drake ] && module=pydrake
  "$directory/bin/python" -c "import $module" 2>/dev/null && continue
  "$directory/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 60 $package >/dev/null 2>&1 ||
    echo "bench: $package is out of reach; the benchmark runs without it"
done
exit 0
