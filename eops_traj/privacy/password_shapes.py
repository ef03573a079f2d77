"""Passwords and logins: a password has no shape, so what stands around it has to tell."""

from eops_traj.privacy.shape import (
    IS,
    PASSWORD,
    SIGN,
    Shape,
    basic_login,
    mixed_password,
    password_value,
    quoted_password,
    said_password,
    strong_password,
)  # fmt: skip

_ENDS = r"""\s"'\\,;<>{}()\[\]&|"""
"""What may end a value without quotes."""
_IS_SAID = (
    r"(?i:\s{0,3}[:=]\s{1,3}|:|\s{0,3}(?:->|=>|→)\s{0,3}|\s(?:is|was|it|ist|lautet|est|es|é|är)\s(?:now\s)?)"
)
_IS_SET = r"(?i:\s(?:(?:is|was|has\sbeen|to\sbe)\s)?(?:re)?(?:set|changed|updated)\sto\s)"
"""Without the verb, ``password to`` and ``password of`` go on with whose it is."""
_SAID = r"[`*]{0,2}([^\s\"'\\,;<>{}()\[\]|`]{6,128})"


def _given(not_first: str = "") -> str:
    """Return the pattern of a value behind a setting's name: all in quotes, or up to what may end it."""
    plain = rf"([^{_ENDS}{not_first}][^{_ENDS}]{{5,128}})"
    twice = r"""\\{4}|\\{3}"|\\{2}[/bfnrtu]"""  # in JSON within JSON
    escaped = r"""\\["\\/bfnrtu]"""
    quoted = (
        rf"""\"((?:[^"\\\s{not_first}]|{escaped})(?:[^"\\\s]|{escaped}){{5,}})\"""",
        rf"""'([^'\\\s{not_first}][^'\\\s]{{5,}})'""",
        rf"""\\{{1,3}}"((?:[^"\\\s{not_first}]|{twice})(?:[^"\\\s]|{twice}){{5,}})\\{{1,3}}\"""",
        rf"""(?:["']|\\{{1,3}}["']){plain}""",
    )
    return rf"""(?:["'\]\\]{{0,4}}\s{{0,3}}(?::|=|=>|:=)\s{{0,3}}(?:{"|".join(quoted)})|={plain})"""


PASSWORDS = {
    "registry login": Shape(
        r"""(?:^|["'\\\s])auth["'\\]{0,8}\s{0,3}:\s{0,3}["'\\]{1,8}([A-Za-z0-9+/]{12,}={0,2})""", basic_login
    ),
    "login in .netrc": Shape(
        r"machine\s{1,3}\S{1,60}\.\S{1,60}\s{1,3}login\s{1,3}\S{1,100}\s{1,3}password\s{1,3}"
        r"([^\s\"'\\]{6,128})",
        strong_password,
    ),
    "Basic Auth Credentials": Shape(r"(?i:basic)\s{1,3}([A-Za-z0-9+/_-]{12,}={0,2})", basic_login),
    "password in an address": Shape(r"://[^:/?#\[\]@!$&'()*+,;=\s]*:([^/?#\[\]@\s\"\\:]+)@", password_value),
    "password": Shape(
        r"(?:"
        + PASSWORD
        + r"(?i:s?)|(?:^|[^A-Za-z])(?i:pw))"
        + _given()
        + r"|(?:^|[^A-Za-z])(?i:pwd)"
        + _given(not_first="/~."),  # a shell's folder has this name, too
        quoted_password,
    ),
    "password in words": Shape(
        r"(?:"
        + PASSWORD
        + r"|(?:^|[^A-Za-z])(?i:pwd?))(?i:s?)(?:"
        + _IS_SET
        + "|"
        + _IS_SAID
        + r")"
        + _SAID
        + r"|(?i:(?:re)?set|chang(?:e|ed|ing)|updated?)\s(?:[A-Za-z']{1,12}\s){0,3}"
        + PASSWORD
        + r"(?i:s?\s(?:for\s\S{1,60}\s)?to\s)"
        + _SAID,
        said_password,
    ),
    "credentials in words": Shape(r"(?i:credentials?)" + _IS_SAID + _SAID, mixed_password),
    "password in a tag": Shape(
        r"<[\w:.-]{0,40}" + PASSWORD + r"(?:\s[^<>]{0,80})?>\s{0,3}([^\s<>\"]{6,128})\s{0,3}<\\{0,2}/",
        strong_password,
    ),
    "password in a command": Shape(
        r"--(?:[a-z]{1,12}-){0,3}(?:password|passwd|passphrase|pass|pwd)[ \t]{1,3}[\"'\\]{0,3}"
        r"([^\s\"'\\`<>]{6,128})"
        r"|\s(?:-u|--user|--proxy-user)[ =]{0,2}[\"'\\]{0,3}[^\s:\"'\\/<>]{1,64}:([^\s\"'\\`<>]{6,128})"
        r"|sshpass\s{1,3}-p\s{0,3}[\"'\\]{0,3}([^\s\"'\\`<>]{6,128})"
        r"|mysql[a-z]{0,6}\s(?:[^\n|;]{0,80}\s)?-p[\"'\\]{0,3}([^\s\"'\\`<>]{6,128})"
        r"|(?i:convertto-securestring)\s{1,3}(?:(?i:-string)\s{1,3})?[\"'\\]{1,3}([^\s\"'\\`<>]{6,128})"
        r"|echo\s{1,3}[\"'\\]{0,3}([^\s\"'\\`<>]{6,128})[\"'\\]{0,3}\s{0,3}\|\s{0,3}sudo\s{1,3}-S",
        strong_password,
    ),
    "password in a table": Shape(
        PASSWORD + r"[\s`*]{0,4}\|[\s`*]{0,4}([^\s\"'\\`<>|]{8,128})[\s`*]{0,4}\|", mixed_password
    ),
    "password by itself": Shape(  # as .netrc has it; few sentences go on with such a word
        PASSWORD + r"\s{1,3}([A-Za-z0-9._-]+" + SIGN + r"[^\s\"'\\`<>|,;]*)", mixed_password
    ),
    "pass": Shape(
        r"(?:^|[^A-Za-z])(?i:pass|psk|(?:wi-?fi|wpa2?) (?:key|pass))"
        r"(?:" + IS + r"|\s{1,2}is\s{1,2})([^\s\"'\\,;<>{}()\[\]&|`]{8,128})",
        mixed_password,
    ),
    "pass in a setting": Shape(
        r"[A-Z0-9]_(?:PASS|PSK)" + IS + r"([^\s\"'\\,;<>{}()\[\]&|`]{8,128})", strong_password
    ),
}
"""Their shapes, by kind."""
