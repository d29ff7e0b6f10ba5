"""The public C++ headers as pages of the documentation site, one for each module, by Doxygen's XML.

The pages are Markdown, so that they stand in the search and the style of the site. A header gives its story (the
comment at its top), its types with their members, and its functions.
"""
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

MODULES = ("scalar", "numerics", "spatial", "symbolic", "model", "elastic", "kinematics", "dynamics", "structure",
           "generate", "motion", "simulation", "study", "formats", "report")
SETTINGS = """
INPUT = {input}
FILE_PATTERNS = *.hpp
RECURSIVE = NO
OUTPUT_DIRECTORY = {output}
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
HIDE_FRIEND_COMPOUNDS = YES
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = ULNA_API=
JAVADOC_AUTOBRIEF = NO
QUIET = YES
WARNINGS = NO
"""
KINDS = {"class": "class", "struct": "struct", "union": "union"}


def plain(element):
    """The text of a part of the XML, on one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def comment(member):
    return " ".join(text for text in (plain(member.find("briefdescription")), plain(member.find("detaileddescription")))
                    if text)


def wrapped(text, columns=92):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > columns:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return lines + ([line] if line else [])


def spaced(text):
    """Signs where the code of the project has them."""
    text = re.sub(r" ?([&*]+)(?=[A-Za-z_])", r"\1 ", text.replace("< ", "<").replace(" >", ">"))
    text = re.sub(r" ([&*]+)(?=[,)>])", r"\1", text)
    return re.sub(r"(?<=\w)=(?=[\w{\"-])", " = ", text)


def linked(text):
    """Pages of the theory as links; signs of Markdown in the rest are text."""
    text = re.sub(r"([<>*_])", r"\\\1", text)
    return re.sub(r"docs/theory/([a-z0-9-]+)\.md", r"[\1.md](../theory/\1.md)", text)


def declaration(member):
    """A member as C++, without its body."""
    kind, name = member.get("kind"), plain(member.find("name"))
    template = member.find("templateparamlist")
    head = ""
    if template is not None:
        parameters = [" ".join(filter(None, (plain(p.find("type")), plain(p.find("declname"))))) for p in template]
        head = f"template <{', '.join(parameters)}> "
    if kind == "enum":
        values = ", ".join(plain(value.find("name")) for value in member.findall("enumvalue"))
        return f"enum class {name} {{ {values} }};"
    if kind == "typedef":
        return spaced(f"{head}{plain(member.find('definition'))};".replace("typedef ", "").replace("using ulna::", "using "))
    text = " ".join(filter(None, (plain(member.find("type")), name)))
    if kind == "function":
        text += plain(member.find("argsstring"))
        text = re.sub(r"\s*=\s*default$", "", text)
        if member.get("static") == "yes":
            text = "static " + text
    else:
        start = plain(member.find("initializer"))
        text += plain(member.find("argsstring")) + (" " + start if start and len(start) < 60 else "")
    return spaced(f"{head}{text};")


def code(members):
    lines = []
    for member in members:
        lines += ["/// " + line for line in wrapped(comment(member))]
        lines.append(declaration(member))
    return lines


def public_members(compound, kinds):
    for section in compound.findall("sectiondef"):
        for member in section.findall("memberdef"):
            if member.get("prot") == "public" and member.get("kind") in kinds:
                name = plain(member.find("name"))
                if not name.startswith(("~", "operator=", "@")):
                    yield member


def story(header):
    """The comment at the top of a header, as Markdown: indented lines are code."""
    lines = []
    for line in header.read_text(encoding="utf-8").splitlines()[1:]:
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" ") if not line.startswith("//   ") else "    " + line[5:])
    out, in_code = [], False
    for line in lines:
        is_code = line.startswith("    ")
        if is_code and not in_code:
            out += ["", "```cpp excerpt"]
        elif in_code and not is_code and line.strip():
            out += ["```", ""]
        in_code = is_code or (in_code and not line.strip())
        out.append(line[4:] if is_code else linked(line))
    text = "\n".join(out + (["```"] if in_code else []))
    return re.sub(r"\n+```\n", "\n```\n", re.sub(r"\n{3,}", "\n\n", text))


def xml_of(root, headers, folder):
    settings = SETTINGS.format(input=" ".join(str(header) for header in headers), output=folder)
    subprocess.run(["doxygen", "-"], cwd=root, input=settings, text=True, check=True, capture_output=True)
    return pathlib.Path(folder) / "xml"


def header_section(compound, folder, header, name):
    """One header: its story, its types and its functions."""
    out = [f"## {name}\n", story(header), ""]
    for inner in compound.findall("innerclass"):
        if inner.get("prot", "public") != "public":
            continue
        entry = ElementTree.parse(folder / f"{inner.get('refid')}.xml").getroot().find("compounddef")
        title = plain(entry.find("compoundname")).removeprefix("ulna::")
        if "::" in title and not title.startswith(("elastic::", "homogeneous::")):
            continue  # shown with the type around it
        body = code(public_members(entry, ("typedef", "enum", "variable", "function")))
        out.append(f"### {KINDS.get(entry.get('kind'), 'type')} {title}\n")
        if comment(entry):
            out.append(linked(comment(entry)) + "\n")
        if body:
            out.append("```cpp excerpt\n" + "\n".join(body) + "\n```\n")
    return out


def free_members(root, folder, headers):
    """Functions, enumerations and aliases of the namespaces, by the header that declares them."""
    found = {header: [] for header in headers}
    for path in sorted(folder.glob("namespace*.xml")):
        for member in public_members(ElementTree.parse(path).getroot().find("compounddef"),
                                     ("function", "enum", "typedef", "variable")):
            place = member.find("location")
            file = root / (place.get("declfile") or place.get("file"))
            if file in found:
                found[file].append(member)
    return found


def write_pages(root, target):
    """Markdown pages of all modules in `target`; returns [(title, file)]."""
    pages = []
    target.mkdir(parents=True, exist_ok=True)
    includes = {module: root / "src" / module / "include" / "ulna" / module for module in MODULES}
    headers = [h for folder in includes.values() for h in
               [*sorted(folder.glob("*.hpp")), *sorted((folder / "parts").glob("*.hpp"))]]
    with tempfile.TemporaryDirectory(prefix="ulna-doxygen-") as work:
        folder = xml_of(root, headers, work)
        free = free_members(root, folder, headers)
        compounds = {}
        for path in folder.glob("*_8hpp.xml"):
            compound = ElementTree.parse(path).getroot().find("compounddef")
            compounds[root / compound.find("location").get("file")] = compound
        for module in MODULES:
            out = [f"# C++: {module}\n", f"The headers of `ulna/{module}/`. [The C++ library](../cpp.md) lists them in the "
                   "order one learns them.\n"]
            for header in headers:
                if module not in header.parts[-3:-1] or header not in compounds:
                    continue
                name = header.relative_to(root / "src" / module / "include").as_posix()
                out += header_section(compounds[header], folder, header, name)
                functions = code(free[header])
                if functions:
                    out.append("```cpp excerpt\n" + "\n".join(functions) + "\n```\n")
            (target / f"cpp-{module}.md").write_text("\n".join(out))
            pages.append((module, f"cpp-{module}.md"))
    return pages
