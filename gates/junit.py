"""Verdicts as JUnit XML, which CI servers show."""

import re
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

# XML 1.0 has no way to write these.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(verdict: Mapping[str, Any]) -> str:
    """Return one test suite for the date, with one case for each gate and group."""
    findings = verdict["findings"]
    broken = [finding for finding in findings if finding["outcome"] == "broken"]
    skipped = [finding for finding in findings if finding["outcome"] == "not judged"]
    suite = Element(
        "testsuite",
        name=_clean(f"q2 gates {verdict['date']} {verdict['metric']} {verdict['profile']}"),
        timestamp=verdict["judged_at"],
        tests=str(len(findings)),
        failures=str(len(broken)),
        errors="0",
        skipped=str(len(skipped)),
    )
    for finding in findings:
        name = finding["group"] or "all turns"
        case = SubElement(suite, "testcase", classname=_clean(finding["gate"]), name=_clean(name))
        sentence = _clean(finding["sentence"])
        if finding["outcome"] == "broken":
            SubElement(case, "failure", type=finding["kind"], message=sentence)
        elif finding["outcome"] == "not judged":
            SubElement(case, "skipped", message=sentence)
        else:
            SubElement(case, "system-out").text = sentence
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode")


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
