"""Keys and tokens that the words beside them make a secret: settings, variables, headers, addresses, tags."""

from eops_traj.privacy.shape import (
    BEGIN,
    IS,
    Shape,
    drawn_by_chance,
    drawn_key,
    no_words,
    signed_key,
    with_digit,
)  # fmt: skip

_MARKS = "[`*]{0,2}"
TOLD = rf"(?:{IS}{_MARKS}|{_MARKS}:{_MARKS}\s{{0,2}}{_MARKS}|\sis\s{_MARKS}|[`*\s]{{0,3}}\|[`*\s]{{0,3}})"
"""What stands between a key's name and the key, in a setting, a sentence, Markdown or a table."""
NAMED_KEYS = {
    "API key": Shape(BEGIN + r"(sk-[A-Za-z0-9_-]{20,})", with_digit),
    "AWS secret key": Shape(
        r"(?i:aws|secret|access)[\w .-]{0,24}" + IS + r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"
        r"|(?i:aws.{0,20}?(?:key|pwd|pw|password|pass|token).{0,20}?)['\"]([A-Za-z0-9/+]{40})['\"]",
        no_words,
    ),
    "AWS session token": Shape(
        r"(?i:session_?token|security-?token)" + IS + r"([A-Za-z0-9/+=%]{100,})"
        r"|X-(?:Amz|Goog)-Signature=([0-9a-f]{64,})",
        no_words,
    ),
    "crates.io token": Shape(BEGIN + r"(cio[A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$)", no_words),
    "secret in a variable": Shape(
        r"(?:^|[^A-Za-z0-9_])(?:[A-Z][A-Z0-9]{1,20}_){1,4}(?:TOKEN|PAT|KEY|SECRET|CREDENTIALS)"
        + IS
        + r"(?:base64:)?([A-Za-z0-9_/+~-]{20,}={0,2})",
        drawn_by_chance,
    ),
    "Azure account key": Shape(r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/=]{40,88})"),
    "Azure access signature": Shape(r"[?&]sig=([A-Za-z0-9%/+]{40,}(?:=|%3[dD])?)"),
    "bearer token": Shape(r"(?i:bearer)[\s:]{1,3}([A-Za-z0-9._~+/-]{16,}=*)", with_digit),
    "Authorization header": Shape(
        r"(?i:authorization|x-api-key|x-auth-token)" + IS + r"(?i:(?:token|apikey|api-key|key|digest)\s)?"
        r"([A-Za-z0-9._~+/-]{16,}=*)",
        drawn_key,
    ),
    "Cookie": Shape(
        r"(?i:(?:set-)?cookie)" + IS + r"[\w.-]{1,40}=([A-Za-z0-9%._~+/-]{20,}=*)", drawn_by_chance
    ),
    "key in a tag": Shape(
        r"<(?i:[\w:.-]{0,20}(?:api|access|secret|private|client|session|refresh|auth)[_-]?(?:key|secret|token)"
        r"|secret_?access_?key)(?:\s[^<>]{0,80})?>\s{0,3}([A-Za-z0-9_/+~-]{16,}={0,2})\s{0,3}<\\{0,2}/",
        drawn_key,
    ),
    "key in a setting": Shape(
        r"(?i:(?:api|access|secret|private|client|signing|encryption|master|auth|app|subscription)"
        r"[_ -]?(?:key|secret))" + TOLD + r"(?:base64:)?([A-Za-z0-9_/+.~-]{16,}={0,2})",
        drawn_key,
    ),
    "key of a command": Shape(
        r"--(?:(?:[a-z]{1,12}-){0,2}(?:access|api|auth|bot|client|id|private|refresh|secret)-)?(?:key|token|secret)"
        r"[ \t]{1,3}[\"'\\]{0,3}([A-Za-z0-9_/+.~-]{16,}={0,2})",
        drawn_key,
    ),
    "key with signs": Shape(  # as frameworks draw them, of all that a keyboard has
        r"""(?i:(?:secret|signing|encryption)[_ -]?key)["'\]\\]{0,4}\s{0,3}[=:]\s{0,3}\\{0,2}["']"""
        r"""([^\s"'\\<>{}]{20,})\\{0,2}["']""",
        signed_key,
    ),
    "token in a setting": Shape(  # those of the gyms' own people have dots in them
        r"(?i:(?:access|refresh|auth|api|id|bot)[_ -]?token)"
        + TOLD
        + r"""([A-Za-z0-9_/+~-]{16,}={0,2})\.?(?:["'\s\\,;}&]|$)""",
        drawn_key,
    ),
    "Artifactory Credentials": Shape(
        r'(?:^|[\s=:"])(AKC[A-Za-z0-9]{10,}|AP[0-9A-F][A-Za-z0-9]{8,})(?:[\s"\\]|$)', with_digit
    ),
    "NPM registry login": Shape(r"//.+/:_authToken=\s*([A-Fa-f0-9-]{36}|npm_\S+)"),
    "long key in a setting": Shape(
        r"""(?i:(?:^|[^A-Za-z0-9])(?:[a-z]{2,10}[_-]?){0,4}(?:key|pwd|pw|password|pass|token)["'\]\\]{0,3})"""
        r"""(?i: *(?:=|:|:=|=>| +|::) *["'\\]{0,2}([a-z0-9]{64}|[0-9a-f]{48}|[a-z0-9_-]{44}))(?:[^\w-]|$)""",
        with_digit,
    ),
    "key in an address": Shape(
        r"[?&](?i:token|key|auth|secret|api_?key|access_token|password)=([A-Za-z0-9_%~.+-]{20,})"
        r"|[?&](?i:app_?id)=([0-9A-Fa-f]{32})(?:[^A-Za-z0-9-]|$)",
        drawn_key,
    ),
    "token in a header": Shape(
        r"(?i:private-token|job-token|deploy-token|x-[a-z-]{1,30}-?(?:token|key|secret))"
        + IS
        + r"([A-Za-z0-9_/+~-]{16,}={0,2}|s\.[A-Za-z0-9]{24,})\.?(?:[^\w.-]|$)"
        r"|(?:^|\s)SSWS\s([A-Za-z0-9_-]{40,})"
        r"|(?i:token\stoken)[=\"'\\]{1,5}([A-Za-z0-9]{16,})",
        drawn_key,
    ),
    "secret in a setting": Shape(  # a page's token has a name before it
        r"(?:^|[^A-Za-z_-])(?i:secret|token)" + TOLD + r"([A-Za-z0-9_/+~-]{24,}={0,2})\.?(?:[^\w.-]|$)",
        lambda secret: no_words(secret) and drawn_by_chance(secret),
    ),
    "session in a cookie": Shape(
        r"(?i:jsessionid|phpsessid|sessionid|connect\.sid|asp\.net_sessionid|laravel_session|remember_token)"
        r"=([A-Za-z0-9%._~+/-]{20,}=*)",
        drawn_by_chance,
    ),
    "key data": Shape(r"(?i:client|private)[_-]?key[_-]?data" + IS + r"([A-Za-z0-9+/]{64,}={0,2})"),
    "JSON Web Key": Shape(  # of a symmetric key, or the private part of another
        r"""["']?kty["'\\]{1,4}\s{0,2}:[^{}]*["'](?:k|d)["'\\]{1,4}\s{0,2}:\s{0,2}["'\\]{1,4}([A-Za-z0-9_-]{22,})"""
        r"""|["'](?:k|d)["'\\]{1,4}\s{0,2}:\s{0,2}["'\\]{1,4}([A-Za-z0-9_-]{22,})["'\\]{1,4}[^{}]*["']kty["'\\]"""
    ),
    "Bitcoin key": Shape(
        r"(?:^|[^A-Za-z0-9])(5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?:[^A-Za-z0-9]|$)",
        lambda secret: no_words(secret) and drawn_by_chance(secret),
    ),
    "SoftLayer Credentials": Shape(r"(?i:api\.softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64}))"),
}
"""Their shapes, by kind."""
