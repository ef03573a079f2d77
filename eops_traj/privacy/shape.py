"""The shape of a secret: an expression, and a last word on what it matches.

The syntax is that of RE2, which takes linear time on any text and has no look-around: where a shape has a
group, the group is the secret, and the rest is what has to stand around it.
"""

import base64
import binascii
import re
from collections.abc import Callable
from typing import NamedTuple

BEGIN = r"(?:^|[^A-Za-z0-9_-]|\\[bfnrt])"
"""Where a short sign may begin: not within a word; an escaped line break is none of the word."""
IS = r"""["'\]\\]{0,4}\s{0,3}(?:=|:|:=|=>|::)\s{0,3}["'\\]{0,3}"""
"""What stands between the name of a setting and its value, in code, JSON (also within JSON) and YAML."""
SIGN = r"[@#$%^&*!~+=]"
PASSWORD = (
    r"(?i:password|passwd|passwort|kennwort|passphrase|passcode|mot de passe|contrase(?:ñ|n)a|senha"
    r"|wachtwoord|lösenord|hasło|пароль|密码|パスワード)"
)
"""What a password is called, also in other languages."""
MADE_UP_PASSWORD = re.compile(r"(?:Harbour|Lantern|Meadow|Copper)-\d{4}")
"""The first passwords of people whom the embedded gym's tasks make up."""
PLACEHOLDER = re.compile(
    r"(?:\$[({].*|(?-i:\$[A-Z][A-Z0-9_]*)|\$[a-z_]*(?:password|passwd|pass|pwd)|\$env:\w+|<[^<>]*>?|\{[^{}]*\}"
    r"|%(?:[sd]|\w+%|[({].*)|[*.x-]{3,}\w{0,4}|none|null|true|false|secret|pass(?:words?|wd|code)?|str"
    r"|(?:your|my[_-]|string|required|optional|hidden|redacted|removed|unchanged|changed|expired|undefined"
    r"|example|placeholder)(?:[ _.-]?(?:a|account|admin|api|at|be|by|code|database|db|field|for|goes|here"
    r"|host|id|in|is|it|key|log|me|name|new|not|null|old|own|pass(?:word|wd|phrase)?|pwd|policy|privacy|secret"
    r"|server|strong|text|the|this|to|token|type|user|value))*)",
    re.IGNORECASE,
)
"""What is written for a password, all of it: a variable, a format, dots, or words that stand for a value."""

_REMARK = re.compile(r"[\[({<].*[\])}>]|[A-Za-z]:\\.*|\\\\(?:\\\\)?[\w.$-]+\\.*")
_MANY_SIGNS = 4
_CODE_SIGN = re.compile(r"""[,;<>{}()\[\]&|"'\\]""")
_CODE = re.compile(
    r"[$A-Za-z_][\w.]*[(\[].*[)\]]$|\w{3,}(?:[,;|]\w{3,})+$"
    r"|.*(?:\(\?[=!:]|\[\^?(?:a-z|A-Z|0-9)|\{\d+,\d*\}|://|[,;&|]\w{2,}[:=]|&#?\w{2,6};)",
    re.DOTALL,
)
"""A call, a list, a rule for passwords, an address, another setting, an escaped sign."""
_METHOD = re.compile(
    r"[A-Z]{2,6}[-_]?\d[\d.]*(?:-[A-Z]+)*|(?i:sha|md|aes|rsa|tls|bcrypt|scrypt|argon|pbkdf)[\w.-]*"
)
"""How passwords are kept: ``is AES-256 encrypted``, ``was sha256-hashed``."""
MANY = 4
"""Places of a key in letters of one case where letters go on behind digits: names of releases have fewer."""


def anything(secret: str) -> bool:
    """Accept: the shape alone is unmistakable."""
    return True


def with_digit(secret: str) -> bool:
    """Check that there is a digit, which words joined by hyphens lack."""
    return any(letter.isdigit() for letter in secret)


def hexadecimal(secret: str) -> bool:
    """Check that it is written in small hexadecimal digits, both letters and numbers, as no word is."""
    return bool(re.fullmatch(r"[0-9a-f]*(?:\d[a-f]|[a-f]\d)[0-9a-f]*", secret))


def no_zeros(secret: str) -> bool:
    """Check that it is no base64 of a database, whose bytes are often zero, and that it has a digit."""
    return "AAAAAA" not in secret.removeprefix("EAAA") and with_digit(secret)


def drawn_by_chance(secret: str) -> bool:
    """Check that digits are a part of it as of what is drawn by chance, not the number behind a name."""
    return sum(letter.isdigit() for letter in secret) >= 3 and bool(re.search(r"\d[^\d]+\d", secret))


def no_words(secret: str) -> bool:
    """Check that it is no words: digits, with letters of both cases or nothing but hexadecimals."""
    secret = secret.removeprefix("0x")
    cases = any(letter.islower() for letter in secret) and any(letter.isupper() for letter in secret)
    return with_digit(secret) and (cases or bool(re.fullmatch(r"[0-9A-Fa-f-]{32,}", secret)))


def drawn_key(secret: str) -> bool:
    """Check that it is no words, or letters of one case in which digits stand all over."""
    one_case = re.fullmatch(r"[a-z0-9]{20,}|[A-Z0-9]{20,}", secret)
    return no_words(secret) or bool(one_case and len(re.findall(r"\d(?=[A-Za-z])", secret)) >= MANY)


def signed_key(secret: str) -> bool:
    """Check that digits and signs stand in it as chance sets them: a path or an address has none of these."""
    return drawn_by_chance(secret) and bool(re.search(r"[!@#$%^*()]", secret)) and "://" not in secret


def password_value(secret: str) -> bool:
    """Check that a value given to a password is not a word that stands for one, nor one of the gym's."""
    said = secret.rstrip(".,:;!?)*`]")
    return not any(map(PLACEHOLDER.fullmatch, (secret, said))) and not MADE_UP_PASSWORD.fullmatch(said)


def quoted_password(secret: str) -> bool:
    """Check that a value in quotes is a password, and no remark in brackets, path, list or piece of code.

    One with signs of code in it has to be as varied as what is drawn.
    """
    if not password_value(secret) or _REMARK.fullmatch(secret):
        return False
    kinds = sum(bool(re.search(kind, secret)) for kind in ("[a-z]", "[A-Z]", r"\d", r"[@#$%^*!~+]"))
    signs = len(set(re.findall(r"[^\w\s]", secret)))
    drawn = (kinds > 2 or signs >= _MANY_SIGNS) and not _CODE.match(secret)
    return not _CODE_SIGN.search(secret) or drawn


def said_password(secret: str) -> bool:
    """Check that a word in a sentence about passwords is a strong one, and not how they are kept."""
    word = secret.partition("&quot")[0].rstrip(".,:;!?)")
    return strong_password(word) and not _METHOD.fullmatch(word)


def strong_password(secret: str) -> bool:
    """Check that a word after `password:` or `password is` has letters, and digits or signs among them."""
    value = secret.rstrip(".,:;!?)")
    return (
        len(value) >= 6
        and any(letter.isalpha() for letter in value)
        and bool(re.search(r"\d|[a-z][A-Z]|[@#$%^&*!~+=]", value))
        and password_value(value)
    )


def mixed_password(secret: str) -> bool:
    """Check that a word beside `password`, which may be any, has digits, and both cases or signs."""
    cases = any(letter.islower() for letter in secret) and any(letter.isupper() for letter in secret)
    return (
        len(secret) >= 8
        and with_digit(secret)
        and (cases or bool(re.search(SIGN, secret)))
        and strong_password(secret)
    )


def basic_login(secret: str) -> bool:
    """Check that it is the base64 of a name and a password."""
    try:
        return b":" in base64.b64decode(secret + "=" * (-len(secret) % 4), validate=True)
    except (ValueError, binascii.Error):
        return False


class Shape(NamedTuple):
    """The shape of a kind of secret."""

    pattern: str
    is_secret: Callable[[str], bool] = anything
    """The last word on what matches."""
