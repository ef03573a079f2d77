"""The shapes of secrets, one table for scrubbing, the certificate and the gate.

It joins what the collectors' scrubber knew, the plugins of detect-secrets, which a test holds it to, and
more services. The syntax is that of RE2, which takes linear time on any text and has no look-around: where a
shape has a group, the group is the secret, and the rest is what has to stand around it.
"""

import base64
import binascii
import re
from collections.abc import Callable
from typing import NamedTuple

from eops_traj.privacy.service_keys import SERVICE_KEYS

BEGIN = r"(?:^|[^A-Za-z0-9_-]|\\[bfnrt])"
"""Where a short sign may begin: not within a word; an escaped line break is none of the word."""
IS = r"""["'\]\\]{0,4}\s{0,3}(?:=|:|:=|=>|::)\s{0,3}["'\\]{0,3}"""
"""What stands between the name of a setting and its value, in code, JSON (also within JSON) and YAML."""
SIGN = r"[@#$%^&*!~+=]"
PASSWORD = r"(?i:password|passwd|passwort|passphrase|passcode)"
MADE_UP_PASSWORD = re.compile(r"(?:Harbour|Lantern|Meadow|Copper)-\d{4}")
"""The first passwords of people whom the embedded gym's tasks make up."""
PLACEHOLDER = re.compile(
    r"(?:[$<]|%[sd({]|[*.x-]{3}|your|my[_-]|none$|null$|true$|false$|string|str$|required|optional|hidden|redacted|removed"
    r"|secret$|pass(?:word|wd|code)?[.:]?$|unchanged|changed|expired|undefined|example|placeholder)",
    re.IGNORECASE,
)


def _any(secret: str) -> bool:
    """Accept: the shape alone is unmistakable."""
    return True


def _digit(secret: str) -> bool:
    """Check that there is a digit, which words joined by hyphens lack."""
    return any(letter.isdigit() for letter in secret)


def _many_digits(secret: str) -> bool:
    """Check that digits are a part of it as of what is drawn by chance, not the number behind a name."""
    return sum(letter.isdigit() for letter in secret) >= 3 and bool(re.search(r"\d[^\d]+\d", secret))


def _random(secret: str) -> bool:
    """Check that it is no words: digits, with letters of both cases or nothing but hexadecimals."""
    secret = secret.removeprefix("0x")
    cases = any(letter.islower() for letter in secret) and any(letter.isupper() for letter in secret)
    return _digit(secret) and (cases or bool(re.fullmatch(r"[0-9A-Fa-f-]{32,}", secret)))


def _password(secret: str) -> bool:
    """Check that a value given to a password is not a word that stands for one, nor one of the gym's."""
    return not PLACEHOLDER.match(secret) and not MADE_UP_PASSWORD.fullmatch(secret.rstrip(".,"))


def _strong_password(secret: str) -> bool:
    """Check that a word after `password:` or `password is` has letters, and digits or signs among them."""
    value = secret.rstrip(".,:;!?)")
    return (
        len(value) >= 6
        and any(letter.isalpha() for letter in value)
        and bool(re.search(r"\d|[a-z][A-Z]|[@#$%^&*!~+=]", value))
        and _password(value)
    )


def _mixed_password(secret: str) -> bool:
    """Check that a word beside `password`, which may be any, has digits, and both cases or signs."""
    cases = any(letter.islower() for letter in secret) and any(letter.isupper() for letter in secret)
    return (
        len(secret) >= 8
        and _digit(secret)
        and (cases or bool(re.search(SIGN, secret)))
        and _strong_password(secret)
    )


def _basic(secret: str) -> bool:
    """Check that it is the base64 of a name and a password."""
    try:
        return b":" in base64.b64decode(secret + "=" * (-len(secret) % 4), validate=True)
    except (ValueError, binascii.Error):
        return False


class Shape(NamedTuple):
    """The shape of a kind of secret."""

    pattern: str
    is_secret: Callable[[str], bool] = _any
    """The last word on what matches."""


SIGNED = {
    "OpenAI key": Shape(r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}"),
    "OpenAI Token": Shape(r"sk-[A-Za-z0-9-_]*[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
    "Anthropic key": Shape(r"sk-ant-[A-Za-z0-9_-]{20,}"),
    "OpenRouter key": Shape(r"sk-or-(?:v1-)?[A-Za-z0-9_-]{20,}"),
    "Hugging Face token": Shape(r"(?:hf|api_org)_[A-Za-z0-9]{30,}|hf_oauth_[A-Za-z0-9._-]{30,}"),
    "Google API key": Shape(r"AIza[A-Za-z0-9_-]{35}"),
    "Google OAuth token": Shape(r"ya29\.[A-Za-z0-9_-]{60,}|1//0[A-Za-z0-9_-]{30,}"),
    "Google OAuth secret": Shape(r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    "Groq key": Shape(r"gsk_[A-Za-z0-9]{40,}"),
    "xAI key": Shape(r"xai-[A-Za-z0-9]{40,}"),
    "NVIDIA key": Shape(r"nvapi-[A-Za-z0-9_-]{40,}"),
    "Perplexity key": Shape(r"pplx-[A-Za-z0-9]{40,}"),
    "Replicate token": Shape(r"r8_[A-Za-z0-9]{37,}"),
    "Together key": Shape(r"tgp_v1_[A-Za-z0-9_-]{30,}"),
    "Fireworks key": Shape(r"fw_[A-Za-z0-9]{22,}", _random),
    "AWS Access Key": Shape(r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}"),
    "GitHub Token": Shape(r"gh[oprsu]_[A-Za-z0-9_]{36,}|github_pat_[A-Za-z0-9_]{50,}"),
    "GitLab Token": Shape(
        r"(?:glpat|gldt|glft|glsoat|glrt|glcbt|glimt|glptt|glagent|gloas|GR1348941)-?[A-Za-z0-9_-]{20,}"
    ),
    "Slack Token": Shape(r"(?i:xox[abeoprs]-(?:\d+-)+[a-z0-9]+)|(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{20,}"),
    "Slack webhook": Shape(
        r"(?i:hooks\.slack\.com/(?:services|workflows))/[A-Za-z0-9_]+/[A-Za-z0-9_]+[/\w]*"
    ),
    "Discord webhook": Shape(r"discord(?:app)?\.com/api/webhooks/\d{10,}/[A-Za-z0-9_-]{40,}"),
    "Teams webhook": Shape(r"\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{40,}"),
    "Stripe Access Key": Shape(r"[rs]k_(?:live|test)_[0-9A-Za-z]{20,}|whsec_[A-Za-z0-9+/]{24,}"),
    "SendGrid API Key": Shape(r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    "Mailgun key": Shape(r"key-[0-9a-f]{32}"),
    "Mailchimp Access Key": Shape(r"[0-9a-z]{32}-us[0-9]{1,2}"),
    "Twilio API Key": Shape(r"(?:AC|SK)[a-z0-9]{32}"),
    "Telegram Bot Token": Shape(r"\d{8,10}:[0-9A-Za-z_-]{35}"),
    "Discord Bot Token": Shape(r"[MNO][A-Za-z\d_-]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27}"),
    "Square OAuth Secret": Shape(r"sq0csp-[0-9A-Za-z\\_-]{43}|sq0atp-[0-9A-Za-z_-]{22}"),
    "Square token": Shape(r"EAAA[0-9A-Za-z_-]{56,}", _digit),
    "Shopify token": Shape(r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    "NPM token": Shape(r"npm_[A-Za-z0-9]{36}"),
    "PyPI Token": Shape(r"pypi-[A-Za-z0-9_-]{50,}"),
    "Docker token": Shape(r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    "DigitalOcean token": Shape(r"do[opr]_v1_[a-f0-9]{64}"),
    "Databricks token": Shape(r"dapi[a-f0-9]{32}"),
    "HashiCorp Vault token": Shape(r"hv[bs]\.[A-Za-z0-9_-]{24,}"),
    "Atlassian token": Shape(r"AT[AC]TT3[A-Za-z0-9_=-]{50,}|ATBB[A-Za-z0-9]{28,}", _random),
    "Grafana token": Shape(r"gls?[ac]_[A-Za-z0-9+/=_]{32,}"),
    "New Relic key": Shape(r"NR(?:AK|JS|II)-[A-Za-z0-9_-]{19,}"),
    "Linear key": Shape(r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    "Notion token": Shape(r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}"),
    "Figma token": Shape(r"figd_[A-Za-z0-9_-]{36,}"),
    "Postman key": Shape(r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    "Sentry token": Shape(r"sntry[su]_[A-Za-z0-9+/=_]{40,}"),
    "Airtable token": Shape(r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    "Supabase key": Shape(r"sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,}"),
    "Netlify token": Shape(r"nfp_[A-Za-z0-9]{36,}"),
    "Heroku key": Shape(r"HRKU-[A-Za-z0-9_-]{36,}"),
    "Fly token": Shape(r"fm[12][a-z]?_[A-Za-z0-9+/=_-]{60,}|fo1_[A-Za-z0-9_-]{40,}", _digit),
    "Render key": Shape(r"rnd_[A-Za-z0-9]{28,}", _random),
    "PlanetScale key": Shape(r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,}"),
    "PayPal token": Shape(r"access_token\$(?:production|sandbox)\$[a-z0-9]{13,}\$[a-f0-9]{32}"),
    "Dropbox token": Shape(r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,}", _digit),
    "Doppler token": Shape(r"dp\.(?:pt|st|ct|sa|scim)\.(?:[a-z0-9_-]{1,40}\.)?[A-Za-z0-9]{40,44}", _digit),
    "Terraform token": Shape(r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    "RubyGems key": Shape(r"rubygems_[a-f0-9]{48}"),
    "NuGet key": Shape(r"oy2[a-z0-9]{43}"),
    "SonarQube token": Shape(r"sq[uap]_[a-f0-9]{40}"),
    "Zapier webhook": Shape(r"hooks\.zapier\.com/hooks/catch/\d{5,}/[A-Za-z0-9]{5,}"),
    "one-time password seed": Shape(r"otpauth://[^\s\"'<>]{0,200}secret=[A-Z2-7]{16,}"),
    "age key": Shape(r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    "Azure client secret": Shape(r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    "JSON Web Token": Shape(r"eyJ[A-Za-z0-9_=-]{10,}\.[A-Za-z0-9_=-]{10,}(?:\.[A-Za-z0-9_.+/=-]*)?"),
    "Private Key": Shape(
        r"(?:-{0,5}BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?|PuTTY-User-Key-File-[23])-{0,5}"
        r"(?:[A-Za-z0-9+/=\s:,]|-[A-Za-z]|\\[nr])*(?:-----END [A-Z0-9 ]{0,40}-----)?"
    ),
} | {kind: Shape(pattern, _digit) for kind, pattern in SERVICE_KEYS.items()}
"""Shapes with a sign of their own, by kind: found wherever they lie."""

NAMED = {
    "API key": Shape(BEGIN + r"(sk-[A-Za-z0-9_-]{20,})", _digit),
    "AWS secret key": Shape(
        r"(?i:aws|secret|access)[\w .-]{0,24}" + IS + r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"
        r"|(?i:aws.{0,20}?(?:key|pwd|pw|password|pass|token).{0,20}?)['\"]([A-Za-z0-9/+]{40})['\"]",
        _random,
    ),
    "AWS session token": Shape(
        r"(?i:session_?token|security-?token)" + IS + r"([A-Za-z0-9/+=%]{100,})"
        r"|X-(?:Amz|Goog)-Signature=([0-9a-f]{64,})",
        _random,
    ),
    "crates.io token": Shape(BEGIN + r"(cio[A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$)", _random),
    "registry login": Shape(
        r"""(?:^|["'\\])auth["'\\]{0,8}\s{0,3}:\s{0,3}["'\\]{1,8}([A-Za-z0-9+/]{12,}={0,2})""", _basic
    ),
    "login in .netrc": Shape(
        r"machine\s{1,3}\S{1,60}\.\S{1,60}\s{1,3}login\s{1,3}\S{1,100}\s{1,3}password\s{1,3}"
        r"([^\s\"'\\]{6,128})",
        _strong_password,
    ),
    "secret in a variable": Shape(
        r"(?:^|[^A-Za-z0-9_])(?:[A-Z][A-Z0-9]{1,20}_){1,4}(?:TOKEN|PAT|KEY|SECRET|CREDENTIALS)"
        + IS
        + r"([A-Za-z0-9_/+~-]{20,}={0,2})",
        _many_digits,
    ),
    "Azure account key": Shape(r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/=]{40,88})"),
    "Azure access signature": Shape(r"[?&]sig=([A-Za-z0-9%/+]{40,}(?:=|%3[dD])?)"),
    "bearer token": Shape(r"(?i:bearer)[\s:]{1,3}([A-Za-z0-9._~+/-]{16,}=*)", _digit),
    "Basic Auth Credentials": Shape(r"(?i:basic)\s{1,3}([A-Za-z0-9+/_-]{12,}={0,2})", _basic),
    "Authorization header": Shape(
        r"(?i:authorization|x-api-key|x-auth-token)" + IS + r"(?i:(?:token|apikey|api-key|key|digest)\s)?"
        r"([A-Za-z0-9._~+/-]{16,}=*)",
        _random,
    ),
    "password in an address": Shape(r"://[^:/?#\[\]@!$&'()*+,;=\s]*:([^/?#\[\]@\s\"\\:]+)@", _password),
    "Cookie": Shape(r"(?i:(?:set-)?cookie)" + IS + r"[\w.-]{1,40}=([A-Za-z0-9%._~+/-]{20,}=*)", _many_digits),
    "password": Shape(
        r"(?i:password|passwd|passwort|passphrase|passcode|(?:^|[^A-Za-z])pwd?)"
        r"""(?:["'\]\\]{0,4}\s{0,3}(?::|=|=>|:=)\s{0,3}(?:["']|\\{1,3}["'])|=)"""
        r"([^\s\"'\\,;<>{}()\[\]&|]{6,128})",
        _password,
    ),
    "password in words": Shape(
        r"(?i:password|passwd|passwort|passphrase|passcode|(?:^|[^A-Za-z])pwd?|credential)s?"
        r"(?i:\s{0,3}[:=]\s{1,3}|:|\s{0,3}(?:->|=>|→)\s{0,3}|\s(?:is|was|to|of|it|ist|lautet)\s(?:now\s)?)"
        r"[`*]{0,2}"
        r"([^\s\"'\\,;<>{}()\[\]&|`]{6,128})",
        _strong_password,
    ),
    "password in a tag": Shape(
        r"<[\w:.-]{0,40}" + PASSWORD + r"(?:\s[^<>]{0,80})?>\s{0,3}([^\s<>\"]{6,128})\s{0,3}<\\{0,2}/",
        _strong_password,
    ),
    "password in a command": Shape(
        r"--(?:[a-z]{1,12}-){0,3}(?:password|passwd|passphrase|pass|pwd)[ \t]{1,3}[\"'\\]{0,3}"
        r"([^\s\"'\\`<>]{6,128})"
        r"|\s(?:-u|--user|--proxy-user)[ =]{0,2}[\"'\\]{0,3}[^\s:\"'\\/<>]{1,64}:([^\s\"'\\`<>]{6,128})"
        r"|sshpass\s{1,3}-p\s{0,3}[\"'\\]{0,3}([^\s\"'\\`<>]{6,128})",
        _strong_password,
    ),
    "password in a table": Shape(
        PASSWORD + r"[\s`*]{0,4}\|[\s`*]{0,4}([^\s\"'\\`<>|]{8,128})[\s`*]{0,4}\|", _mixed_password
    ),
    "password by itself": Shape(  # as .netrc has it; few sentences go on with such a word
        PASSWORD + r"\s{1,3}([A-Za-z0-9._-]+" + SIGN + r"[^\s\"'\\`<>|,;]*)", _mixed_password
    ),
    "key in a tag": Shape(
        r"<(?i:[\w:.-]{0,20}(?:api|access|secret|private|client|session|refresh|auth)[_-]?(?:key|secret|token)"
        r"|secret_?access_?key)(?:\s[^<>]{0,80})?>\s{0,3}([A-Za-z0-9_/+~-]{16,}={0,2})\s{0,3}<\\{0,2}/",
        _random,
    ),
    "key in a setting": Shape(
        r"(?i:(?:api|access|secret|private|client|signing|encryption|master|auth|app)[_ -]?(?:key|secret))"
        + IS
        + r"([A-Za-z0-9_/+.~-]{16,}={0,2})",
        _random,
    ),
    "token in a setting": Shape(  # those of the gyms' own people have dots in them
        r"(?i:(?:access|refresh|auth|api|id|bot)[_ -]?token)"
        + IS
        + r"""([A-Za-z0-9_/+~-]{16,}={0,2})\.?(?:["'\s\\,;}&]|$)""",
        _random,
    ),
    "Artifactory Credentials": Shape(
        r'(?:^|[\s=:"])(AKC[A-Za-z0-9]{10,}|AP[0-9A-F][A-Za-z0-9]{8,})(?:[\s"\\]|$)', _digit
    ),
    "NPM registry login": Shape(r"//.+/:_authToken=\s*([A-Fa-f0-9-]{36}|npm_\S+)"),
    "long key in a setting": Shape(
        r"""(?i:(?:^|[^A-Za-z0-9])(?:[a-z]{2,10}[_-]?){0,4}(?:key|pwd|pw|password|pass|token)["'\]\\]{0,3})"""
        r"""(?i: *(?:=|:|:=|=>| +|::) *["'\\]{0,2}([a-z0-9]{64}|[0-9a-f]{48}|[a-z0-9_-]{44}))(?:[^\w-]|$)""",
        _digit,
    ),
    "key in an address": Shape(
        r"[?&](?i:token|key|auth|secret|api_?key|access_token|password)=([A-Za-z0-9_%~.+-]{20,})", _random
    ),
    "token in a header": Shape(
        r"(?i:private-token|job-token|deploy-token|x-[a-z-]{1,30}-?(?:token|key))"
        + IS
        + r"([A-Za-z0-9_/+~-]{16,}={0,2}|s\.[A-Za-z0-9]{24,})(?:[^\w.-]|$)|(?:^|\s)SSWS\s([A-Za-z0-9_-]{40,})"
        r"|(?i:token\stoken)[=\"'\\]{1,5}([A-Za-z0-9]{16,})",
        _random,
    ),
    "secret in a setting": Shape(  # a page's token has a name before it
        r"(?:^|[^A-Za-z_-])(?i:secret|token)" + IS + r"([A-Za-z0-9_/+~-]{24,}={0,2})(?:[^\w.-]|$)",
        lambda secret: _random(secret) and _many_digits(secret),
    ),
    "pass": Shape(
        r"(?:^|[^A-Za-z])(?i:pass|psk|(?:wi-?fi|wpa2?) (?:key|pass))"
        r"(?:" + IS + r"|\s{1,2}is\s{1,2})([^\s\"'\\,;<>{}()\[\]&|`]{8,128})",
        _mixed_password,
    ),
    "pass in a setting": Shape(
        r"[A-Z0-9]_(?:PASS|PSK)" + IS + r"([^\s\"'\\,;<>{}()\[\]&|`]{8,128})", _strong_password
    ),
    "session in a cookie": Shape(
        r"(?i:jsessionid|phpsessid|sessionid|connect\.sid|asp\.net_sessionid|laravel_session|remember_token)"
        r"=([A-Za-z0-9%._~+/-]{20,}=*)",
        _many_digits,
    ),
    "key data": Shape(r"(?i:client|private)[_-]?key[_-]?data" + IS + r"([A-Za-z0-9+/]{64,}={0,2})"),
    "Bitcoin key": Shape(
        r"(?:^|[^A-Za-z0-9])(5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?:[^A-Za-z0-9]|$)",
        lambda secret: _random(secret) and _many_digits(secret),
    ),
    "SoftLayer Credentials": Shape(r"(?i:api\.softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64}))"),
}
"""Shapes that the words beside them make a secret, by kind."""

SHAPES = SIGNED | NAMED
"""Every shape, by the kind that a message names."""
