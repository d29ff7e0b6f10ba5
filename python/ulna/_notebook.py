"""How robots, runs and figures show themselves in notebooks: each once, the page of the 3D view once for all."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import re
from typing import Any

# What differs from page to page; the rest, some 0.8 MB, is the same for all.
_parts = re.compile(
    r'(<title>)(?P<title>.*?)(</title>.*<script type="application/json" id="data">)(?P<data>.*?)(</script>\s*<script>)(?P<script>.*?)(</script>)',
    re.DOTALL,
)
_numbers = itertools.count(1)
_shown = ""  # the page that an earlier output of this session holds

_place = """<div id="{name}"></div>
<script>
(function () {{
  const place = document.getElementById("{name}");
  const page = window.{page};
  if (!place) return;
  if (!page) {{
    place.textContent = "The page of the 3D view is in the output of an earlier cell, which is gone: call ulna.reload_page() and run this cell again.";
    return;
  }}
  const parts = {parts};
  const frame = document.createElement("iframe");
  frame.width = "100%";
  frame.height = "{height}";
  frame.style.border = "0";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.srcdoc = page.map((text, k) => text + (parts[k] || "")).join("");
  place.replaceChildren(frame);
}})();
</script>"""


def _for_script(value: Any) -> str:
    """As JSON that may stand in a script."""
    return json.dumps(value).replace("<", "\\u003c")


def frame_html(page: str, height: int = 480) -> str:
    """A page inside a notebook, kept apart from it. What all pages share is in the first output of a session only."""
    global _shown
    found = _parts.search(page)
    if not found:
        raise ValueError("the page of the report has another form than expected")
    shell = [
        page[: found.start("title")],
        page[found.end("title") : found.start("data")],
        page[found.end("data") : found.start("script")],
        page[found.end("script") :],
    ]
    name = "ulnaPage" + hashlib.sha1("".join(shell).encode()).hexdigest()[:12]
    text = _place.format(
        name=f"ulna-{name[8:]}-{next(_numbers)}",
        page=name,
        height=height,
        parts=_for_script([found["title"], found["data"], found["script"]]),
    )
    if _shown == name:
        return text
    _shown = name
    return f"<script>window.{name} = {_for_script(shell)};</script>\n{text}"


def reload_page() -> None:
    """Puts the page of 3D views into the next output again: for when the output that held it was deleted."""
    global _shown
    _shown = ""


def figure_class() -> type:
    """A matplotlib Figure that a notebook shows once: as the value of a cell, or at its end where pyplot does that."""
    from matplotlib.figure import Figure

    class ShownOnce(Figure):  # type: ignore[misc]
        def _ipython_display_(self) -> None:
            if _pyplot_shows(self):
                return
            from IPython.display import Image, display  # type: ignore[import]

            png = io.BytesIO()
            self.savefig(png, format="png", dpi=100)
            display(Image(data=png.getvalue()))

    return ShownOnce


def _pyplot_shows(figure: Any) -> bool:
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    number = getattr(figure, "number", None)
    return bool(pyplot and number is not None and pyplot.fignum_exists(number) and "inline" in pyplot.get_backend())
