"""A drawing inside a page: named for screen readers, its ids its own, no trace of the text as text."""

import io
import re
from xml.etree import ElementTree

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def named_svg(svg: bytes, name: str, title: str, alt: str) -> str:
    """A drawing of matplotlib's as an SVG element that stands for its content to everybody.

    ``name`` is put before every id, so that several drawings fit into one page. Comments, which hold the
    labels a second time, are left out.
    """
    root = ElementTree.parse(io.BytesIO(svg)).getroot()
    for element in root.iter():
        _rename(element, name)
    for style in root.findall(f".//{{{SVG}}}style/..") + root.findall(f".//{{{SVG}}}metadata/.."):
        for child in [c for c in style if c.tag in (f"{{{SVG}}}style", f"{{{SVG}}}metadata")]:
            style.remove(child)
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")  # what its style sheet said
    _describe(root, name, title, alt)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _rename(element: ElementTree.Element, name: str) -> None:
    for key, value in element.attrib.items():
        if key == "id":
            element.set(key, f"{name}-{value}")
        elif key == f"{{{XLINK}}}href" and value.startswith("#"):
            element.set(key, f"#{name}-{value[1:]}")
        else:
            element.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))


def _describe(root: ElementTree.Element, name: str, title: str, alt: str) -> None:
    """Say what the drawing is, in elements that it is labelled and described by."""
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for place, (tag, text) in enumerate((("title", title), ("desc", alt))):
        told = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{name}-{tag}"})
        told.text = text
        root.insert(place, told)
