"""The command `ulna` of an installed package: the program that is inside the wheel."""

import os
import pathlib
import sys


def main() -> int:
    program = pathlib.Path(__file__).parent / "bin" / "ulna"
    if not program.exists():
        print("error: this installation of the Python package was built without the command line; "
              "install a wheel made by 'make package', or build the program with 'make run'", file=sys.stderr)
        return 1
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
