#!/bin/sh
# Installs MuJoCo from PyPI into a private environment, for tests/peers/mujoco_python.py, with packages that bring models:
# those of MuJoCo's own tests, of dm_control and of Gymnasium.
#
#   tests/peers/fetch_mujoco.sh DIRECTORY
#
# Where they are out of reach it says so and succeeds: the witness is left out, or has its own models only.
set -u
directory=$1
if ! "$directory/bin/python" -c "import mujoco" 2>/dev/null; then
  rm -rf "$directory"
  if ! { /usr/bin/python3 -m venv --system-site-packages "$directory" &&
    "$directory/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 60 mujoco; } >/dev/null 2>&1; then
    rm -rf "$directory"
    echo "peers: MuJoCo's Python package is out of reach; its witness is left out"
    exit 0
  fi
fi
for package in mujoco-mjx dm_control gymnasium; do
  "$directory/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 60 --no-deps "$package" \
    >/dev/null 2>&1 || echo "peers: the models of $package are out of reach"
done
exit 0
