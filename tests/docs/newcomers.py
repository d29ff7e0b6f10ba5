#!/usr/bin/env python3
"""newcomers.py SITE: questions of newcomers that the documentation site must answer.

Each question has the words that somebody would type into the search, the page and heading that answer it, and words
that the answer contains. The answer must be on the first five pages that the site's own search shows (lunr, with the
settings of the theme), and its page must be within two clicks of the first page. The questions were written before
the pages were edited for them; add one when somebody asks it.
"""
import html
import html.parser
import json
import pathlib
import re
import subprocess
import sys

# (question, search, [page#heading that answers, any of], words of the answer)
QUESTIONS = [
    ("How do I install it?", "install", ["start/install.html"], "make run"),
    ("What can it do, in a quarter of an hour?", "fifteen minutes", ["start/fifteen-minutes.html"], "ulna info"),
    ("I have a URDF file. How do I load it?", "load URDF", ["how-to.html#load-a-urdf-sdf-or-mujoco-file"], "ulna check"),
    ("Which torques does my motion need?", "joint torques motion", ["tutorials/serial-arm.html"], "ulna inverse"),
    ("Which torques hold the arm against gravity?", "torques against gravity",
     ["how-to.html#joint-torques-that-hold-the-robot-against-gravity", "tutorials/serial-arm.html"], "ulna inverse"),
    ("How do I attach a payload?", "attach payload", ["how-to.html#attach-a-payload"], "payloads:"),
    ("How do I get all inverse kinematics solutions?", "inverse kinematics all solutions",
     ["how-to.html#inverse-kinematics-with-all-solutions"], "--all"),
    ("Are rotation or translation rows of the Jacobian first?", "rotation first",
     ["comparison.html#twists-wrenches-and-quaternions", "conventions.html#notation", "faq.html#questions"], "rotation"),
    ("How do I describe a closed loop in my file?", "closes a loop robot file",
     ["robot-file.html#loops", "robot-file.html#joints", "tutorials/four-bar.html"], "cut"),
    ("What loads do the bearings carry?", "bearing loads",
     ["how-to.html#bearing-loads-joint-reactions", "tutorials/four-bar.html#bearing-loads", "tutorials/four-bar.html"],
     "--reactions"),
    ("What are the leg forces of my Stewart platform?", "Stewart platform leg forces",
     ["tutorials/stewart-platform.html", "tutorials/stewart-platform.html#pose-legs-and-forces"], "ulna platform"),
    ("What are the natural frequencies of my design?", "natural frequencies",
     ["tutorials/natural-frequencies.html"], "ulna modes"),
    ("How do I make a link bend?", "flexible link robot file",
     ["robot-file.html#flexible-bodies", "tutorials/flexible-arm.html"], "flexible"),
    ("How do I simulate with a PD controller?", "simulate PD controller",
     ["how-to.html#simulate-a-motion-under-a-pd-controller"], "law: pd"),
    ("How do I add friction to a joint?", "joint friction", ["how-to.html#add-joint-friction"], "friction:"),
    ("How do I run the equations on a microcontroller?", "microcontroller",
     ["tutorials/generated-code.html"], "ulna generate"),
    ("How do I identify the masses from measured data?", "identify measured log",
     ["tutorials/identification.html", "tutorials/identification.html#from-a-measured-log"], "ulna identify"),
    ("How do I run a million variants on our cluster?", "cluster",
     ["tutorials/study.html", "tutorials/study.html#on-several-machines"], "mpirun"),
    ("How do I apply an external force?", "external force", ["how-to.html#apply-an-external-force"], "--wrench"),
    ("What does 'cannot be assembled' mean?", "cannot be assembled", ["faq.html#cannot-be-assembled"],
     "--loop-tolerance"),
    ("I use MuJoCo. What are the same calls?", "MuJoCo calls", ["comparison.html#mujoco", "comparison.html"],
     "robot.inverse_dynamics"),
    ("How do I compute a million states from NumPy?", "batch of states Python", ["python.html#states-and-batches"],
     "one state per row"),
    ("How do I change gravity?", "change gravity", ["how-to.html#change-gravity"], "--gravity"),
    ("How do I read a run in another program?", "read run in another program",
     ["how-to.html#plot-a-run-or-read-it-in-another-program"], "run.h5"),
    ("Can I use it in Simulink as an FMU?", "FMU", ["fmu.html", "how-to.html#use-a-simulation-in-another-simulator"],
     "ulna fmu"),
]

# The search of the theme: titles count a thousand times, words may go on after what was typed.
SEARCH = """
const lunr = require(process.argv[1]);
const docs = JSON.parse(require('fs').readFileSync(process.argv[2])).docs;
const queries = JSON.parse(process.argv[3]);
const plain = (text) => text.replace(/<[^>]*>/g, ' ');
const index = lunr(function () {
  this.ref('location');
  this.field('title', {boost: 1000});
  this.field('text');
  for (const doc of docs) this.add({location: doc.location, title: plain(doc.title), text: plain(doc.text)});
});
const results = queries.map((query) => index.query((q) => {
  for (const term of lunr.tokenizer(query)) {
    q.term(term, {usePipeline: true});
    q.term(term, {usePipeline: false, wildcard: lunr.Query.wildcard.TRAILING, boost: 0.5});
  }
}).map((result) => result.ref));
console.log(JSON.stringify(results));
"""


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.found += [value for name, value in attributes if name == "href" and value]


def links(site, page):
    """Pages of the site that a page links to."""
    parser = Links()
    parser.feed((site / page).read_text(encoding="utf-8"))
    for target in parser.found:
        path = target.partition("#")[0]
        if path and ":" not in path:
            file = (site / page).parent.joinpath(path).resolve()
            if file.is_file() and file.suffix == ".html":
                yield file.relative_to(site).as_posix()


def first_pages(results, count=5):
    """The places that the theme shows: results by page, the first pages, at most four headings of each."""
    pages = {}
    for place in results:
        page = place.partition("#")[0]
        if page in pages or len(pages) < count:
            pages.setdefault(page, [page]).append(place)
    return {place for places in pages.values() for place in places[:5]}


def squeezed(text):
    """Without spaces: highlighted code has some between all words and signs."""
    return "".join(text.split())


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    lunr = pathlib.Path("/usr/share/javascript/lunr/lunr.js")  # Debian's libjs-lunr, which mkdocs needs
    index = site / "search" / "search_index.json"
    texts = {doc["location"]: html.unescape(re.sub(r"<[^>]*>", "", doc["text"]))
             for doc in json.loads(index.read_text())["docs"]}
    done = subprocess.run(["node", "-e", SEARCH, str(lunr), str(index), json.dumps([q[1] for q in QUESTIONS])],
                          capture_output=True, text=True, check=True)
    one = set(links(site, "index.html"))
    near = one.union(*(links(site, page) for page in one)) | {"index.html"}
    failed = 0
    for (question, search, answers, words), results in zip(QUESTIONS, json.loads(done.stdout)):
        wrong = []
        shown = first_pages(results)
        if not shown & set(answers):
            wrong.append(f"searching for '{search}' gives {', '.join(sorted(shown))}")
        if not any(answer.partition("#")[0] in near for answer in answers):
            wrong.append("its page is more than two clicks away")
        if not set(answers) & set(texts):
            wrong.append("no page has these headings")
        pages = {answer.partition("#")[0] for answer in answers}
        if not any(squeezed(words) in squeezed(text) for place, text in texts.items() if place.partition("#")[0] in pages):
            wrong.append(f"no page of the answer says '{words}'")
        if wrong:
            failed += 1
            print(f"{question}: {'; '.join(wrong)}")
    print(f"{len(QUESTIONS) - failed} of {len(QUESTIONS)} questions are answered")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
