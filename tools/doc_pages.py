"""The pages of the documentation as things to run: what check-docs and make-docs share.

Blocks of a page run from top to bottom in a folder of their own:

  ```sh                  a shell script, with the program as `ulna`
  ```python              Python; sees what the blocks above it have defined
  ```cpp                 compiled and run where it has a main(), else an excerpt
  ```yaml file=NAME      is written to NAME (any language)
  ```text output         what the block before it prints: lines in this order, `...` stands for any number of lines;
                         numbers agree to the last digit shown
  <!-- prepare: sh       runs like a block, and readers do not see it (also: python)
  ...
  -->
  <!-- figure: NAME Caption -->    a picture that the page has made; the site shows it in this place

`excerpt` after the language says that a block does not run. Blocks of other languages, and `text`, are excerpts.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(?P<kind>[\w+-]+)(?P<marks>[^\n]*)\n(?P<body>.*?)^```$|"
                   r"^<!-- prepare: (?P<hidden>sh|python)\n(?P<script>.*?)^-->$|"
                   r"^<!-- figure: (?P<figure>\S+)(?P<caption>[^\n]*?) -->$", re.M | re.S)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
MARKER = "--- output of the block ---"


class Failure(Exception):
    pass


def close(shown, printed):
    """Two words are the same, or numbers that agree to the last digit shown."""
    if shown == printed:
        return True
    words = NUMBER.split(shown), NUMBER.split(printed)
    if words[0] != words[1]:
        return False
    for a, b in zip(NUMBER.findall(shown), NUMBER.findall(printed)):
        mantissa, _, exponent = a.lower().partition("e")
        digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        if abs(float(a) - float(b)) > 1.01 * digit:
            return False
    return True


def same_line(shown, printed):
    a, b = shown.split(), printed.split()
    return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))


def compare(shown, printed):
    """Failure at the first line of `shown` that `printed` does not have in its place."""
    lines, at, skip = printed.splitlines(), 0, False
    for line in shown.splitlines():
        if line.strip() == "...":
            skip = True
            continue
        while skip and at < len(lines) and not same_line(line, lines[at]):
            at += 1
        if at >= len(lines) or not same_line(line, lines[at]):
            raise Failure(f"the page shows\n  {line}\nand the program printed\n{printed}")
        at, skip = at + 1, False
    if not skip and any(line.strip() for line in lines[at:]):
        raise Failure("the program printed more:\n" + "\n".join(lines[at:]))


class Runner:
    """Runs the blocks of one page in a folder. `compile` makes programs of C++: a list of words to which the source
    and -o are added; without it they are left out."""

    def __init__(self, folder, environment, compile=None):
        self.folder, self.environment, self.compile = pathlib.Path(folder), environment, compile
        self.python = ""
        self.printed = ""

    def call(self, words):
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise Failure(f"status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
        self.printed = done.stdout

    def run_python(self, body):
        script = f"{self.python}\nprint({MARKER!r}, flush=True)\n{body}"
        self.call([sys.executable, "-c", script])
        self.python += "\n" + body
        self.printed = self.printed.partition(MARKER + "\n")[2]

    def run_cpp(self, body):
        if self.compile is None or "int main" not in body:
            return
        (self.folder / "block.cpp").write_text(body)
        self.call([self.compile[0], "block.cpp", *self.compile[1:], "-o", "block"])
        self.call([str(self.folder / "block")])

    def block(self, match):
        kind, marks, body = match["kind"], (match["marks"] or "").split(), match["body"]
        if match["figure"]:
            if not (self.folder / match["figure"]).is_file():
                raise Failure(f"the blocks above have not made the figure {match['figure']}")
        elif match["hidden"]:
            kind, marks, body = match["hidden"], [], match["script"]
        files = [mark[5:] for mark in marks if mark.startswith("file=")]
        if "excerpt" in marks or match["figure"]:
            return
        if files:
            (self.folder / files[0]).write_text(body)
        elif kind == "text" and "output" in marks:
            compare(body, self.printed)
        elif kind == "sh":
            self.call(["bash", "-euo", "pipefail", "-c", body])
        elif kind == "python":
            self.run_python(body)
        elif kind == "cpp":
            self.run_cpp(body)


def run_page(page, runner):
    """What fails, as texts that begin with page and line; nothing after the first failure."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        try:
            runner.block(match)
        except (Failure, subprocess.TimeoutExpired) as failure:
            yield f"{page.relative_to(ROOT)}:{text[:match.start()].count(chr(10)) + 1}: {failure}"
            return


def environment(program, python_folder):
    """Of the blocks: the program first on the path, the package, the sources as ULNA_SOURCE."""
    return {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(python_folder),
            "MPLBACKEND": "Agg", "ULNA_SOURCE": str(ROOT), "LC_ALL": "C.UTF-8"}
