#!/bin/sh
# Installs FMPy from PyPI into a private environment, for tests/fmu/fmu.py --fmpy.
#
#   tests/fmu/fetch_fmpy.sh DIRECTORY
#
# Where it is out of reach it says so, leaves nothing behind, and succeeds: the tests then run without.
set -u
directory=$1
"$directory/bin/python" -c "import fmpy" 2>/dev/null && exit 0
rm -rf "$directory"
if /usr/bin/python3 -m venv --system-site-packages "$directory" >/dev/null 2>&1 &&
  "$directory/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 60 fmpy >/dev/null 2>&1; then
  echo "fmu: installed FMPy"
else
  rm -rf "$directory"
  echo "fmu: FMPy is out of reach; the tests run without it"
fi
exit 0
