"""The pages for users, README.md and docs/, as the tests read them."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
CHINESE = ROOT / "README.zh-CN.md"
DOCS = sorted((ROOT / "docs").rglob("*.md"))


def blocks(text, language="sh"):
    """The texts between ```language and ```, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def without_blocks(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text):
    """What links to the headings of a page end in, by GitHub's rule."""
    headings = re.findall(r"^#+ (.*)$", without_blocks(text), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def links(text):
    """The targets of all links and pictures, without those into the web."""
    targets = re.findall(r"\]\(([^()\s]+)\)", without_blocks(text))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def section(text, heading=None):
    """Under `## heading`, up to the next one; without a heading what stands before the first."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return parts[0] if heading is None else dict(zip(parts[1::2], parts[2::2]))[heading]
