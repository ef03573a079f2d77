"""Secrets and personal data of every kind, drawn in the right shape; none of them stands in this file.

``{b62:34}`` stands for 34 random letters and digits, and so on: a scanner of this repository finds nothing.
"""

import base64
import re
from random import Random

from stdnum import iban, luhn, verhoeff
from stdnum.fr import nir
from stdnum.nl import bsn

DIGITS, LOWER, UPPER = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOGIN = base64.b64encode(b"admin:Tr0ub4dor").decode()
ALPHABETS = {
    "dig": DIGITS,
    "hex": DIGITS + "abcdef",
    "low": LOWER,
    "up": UPPER,
    "lowdig": LOWER + DIGITS,
    "updig": UPPER + DIGITS,
    "b62": LOWER + UPPER + DIGITS,
    "b64": LOWER + UPPER + DIGITS + "+/",
    "url": LOWER + UPPER + DIGITS + "_-",
}
KEYS = {
    "OpenAI": "sk-{b62:48}",
    "OpenAI project": "sk-proj-{url:74}",
    "OpenAI service account": "sk-svcacct-{url:74}",
    "Anthropic": "sk-ant-api03-{url:93}AA",
    "OpenRouter": "sk-or-v1-{hex:64}",
    "Hugging Face": "hf_{b62:34}",
    "Google": "AIza{url:35}",
    "Google OAuth": "ya29.{url:120}",
    "Google client": "GOCSPX-{url:28}",
    "Google refresh": "1//0{url:60}",
    "Groq": "gsk_{b62:52}",
    "xAI": "xai-{b62:80}",
    "NVIDIA": "nvapi-{url:64}",
    "Perplexity": "pplx-{b62:48}",
    "Replicate": "r8_{b62:37}",
    "AWS id": "AKIA{updig:16}",
    "AWS secret": "aws_secret_access_key = {b64:40}",
    "AWS secret in JSON": '{"SecretAccessKey": "{b64:40}"}',
    "AWS session": "aws_session_token={b64:200}==",
    "GitHub": "ghp_{b62:36}",
    "GitHub fine-grained": "github_pat_{b62:22}_{b62:59}",
    "GitLab": "glpat-{url:20}",
    "Slack bot": "xoxb-{dig:12}-{dig:13}-{b62:24}",
    "Slack webhook": "https://hooks.slack.com/services/T{updig:8}/B{updig:8}/{b62:24}",
    "Discord webhook": "https://discord.com/api/webhooks/{dig:18}/{url:68}",
    "Stripe": "sk_live_{b62:24}",
    "Stripe test": "rk_test_{b62:24}",
    "SendGrid": "SG.{url:22}.{url:43}",
    "Twilio": "SK{hex:32}",
    "Mailgun": "key-{hex:32}",
    "Mailchimp": "{hex:32}-us12",
    "npm": "npm_{b62:36}",
    "PyPI": "pypi-AgEIcHlwaS5vcmc{url:90}",
    "Docker": "dckr_pat_{url:27}",
    "Telegram": "{dig:9}:{url:35}",
    "DigitalOcean": "dop_v1_{hex:64}",
    "Databricks": "dapi{hex:32}",
    "Shopify": "shpat_{hex:32}",
    "Vault": "hvs.{url:90}",
    "Azure storage": "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={b64:86}==",
    "Azure client": "client secret {b62:3}8Q~{url:34}",
    "JSON Web Token": "eyJ{url:33}.eyJ{url:60}.{url:43}",
    "bearer": "Authorization: Bearer {url:40}",
    "API key header": "x-api-key: {b62:32}",
    "API key": '"api_key": "{b62:32}"',
    "client secret": "client_secret={b62:40}",
    "access token": '{"access_token": "{b62:40}"}',
    "refresh token": "refresh_token={b62:40}&x=1",
    "database address": "postgres://admin:{b62:14}@db.corvane.example:5432/main",
    "web address": "https://admin:{b62:12}@corvane.example/",
    "password": "password={b62:12}",
    "password in JSON": '{"password": "{b62:12}!"}',
    "password in words": "The new password is {b62:5}!{dig:4}.",
    "passphrase": "passphrase: {low:5}-{dig:3}-{b62:5}",
    "password in a tag": "<smtpPassword>{low:4}{dig:3}&{up:3}</smtpPassword>",
    "password of a command": "mysql --password {low:4}{dig:3}&{up:3}",
    "password of a call": "curl -u anna:{low:4}{dig:3}&{up:3} https://corvane.example/",
    "password in .netrc": "machine corvane.example login anna password {low:4}{dig:3}&{up:3}",
    "password in a table": "| password | {low:4}{dig:3}{up:3} |",
    "password behind an arrow": "password -> {low:4}{dig:3}{up:3}",
    "AWS secret in a tag": "<SecretAccessKey>{low:4}{up:4}{dig:4}{b62:28}</SecretAccessKey>",
    "Hugging Face OAuth": "hf_oauth_{b62:60}",
    "Airtable": "pat{b62:14}.{hex:64}",
    "Supabase": "sbp_{hex:40}",
    "Netlify": "nfp_{b62:40}",
    "Heroku": "HRKU-AA{b62:58}",
    "Fly": "FlyV1 fm2_{b62:120}",
    "Render": "rnd_{b62:32}",
    "PlanetScale": "pscale_tkn_{b62:43}",
    "Bitbucket": "ATBB{b62:32}",
    "Square": "EAAA{b62:60}",
    "PayPal": "access_token$production${lowdig:16}${hex:32}",
    "Dropbox": "sl.{url:135}",
    "Doppler": "dp.pt.{b62:43}",
    "Terraform": "{b62:14}.atlasv1.{b62:67}",
    "RubyGems": "rubygems_{hex:48}",
    "crates.io": "cio{b62:32}",
    "NuGet": "oy2{lowdig:43}",
    "SonarQube": "squ_{hex:40}",
    "Zapier webhook": "https://hooks.zapier.com/hooks/catch/{dig:8}/{lowdig:7}/",
    "one-time password": "otpauth://totp/Corvane:ann?secret={up:32}&issuer=Corvane",
    "login of a registry": '{"auths": {"r.example": {"auth": "' + LOGIN + '"}}}',
    "login of .netrc": "machine api.corvane.example login user password {hex:40}",
    "variable of a service": "VERCEL_TOKEN={b62:24}",
    "variable in a line": "export AZURE_DEVOPS_EXT_PAT={lowdig:52}",
    "cookie of small letters": "Cookie: sessionid={lowdig:32}",
    "pw": "pw={b62:12}",
    "password of sshpass": "sshpass -p '{low:4}{dig:3}&{up:3}' ssh root@host",
    "signed address": "?X-Amz-Date=20260101T000000Z&X-Amz-Signature={hex:64}",
    "token of AWS in an address": "?X-Amz-Security-Token={b62:200}",
    "private key": "-----BEGIN RSA PRIVATE"
    + " KEY-----\n{b64:64}\n{b64:64}\n-----END RSA PRIVATE"
    + " KEY-----",
    "age key": "AGE-SECRET-" + "KEY-1{updig:58}",
    "Pinecone": "pcsk_{b62:6}_{b62:63}",
    "LangSmith": "lsv2_pt_{hex:32}_{hex:10}",
    "HubSpot": "pat-na1-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
    "Tailscale": "tskey-auth-{b62:17}-{b62:32}",
    "CircleCI": "CCIPAT_{b62:22}_{hex:40}",
    "AWS Bedrock": "ABSK{b64:109}==",
    "hash of a password": "$2b$12$" + "{b62:53}",
    "header of a vault": "X-Vault-Token: s.{b62:24}",
    "key in an address": "https://x.corvane.example/api?token={b62:32}",
    "pass of a database": "DB_PASS={b62:12}",
    "Ethereum": "PRIVATE_KEY=0x{hex:64}",
    "session of a server": "JSESSIONID={hex:32}",
    "password in French": "Le mot de passe est {low:4}{dig:3}&{up:3}",
    "password in Spanish": "contraseña: {low:4}{dig:3}&{up:3}",
    "password of mysql": "mysql -u root -p{low:4}{dig:3}{up:5} hr",
    "password of a script": "ConvertTo-SecureString '{low:4}{dig:3}&{up:3}' -AsPlainText -Force",
    "password of sudo": "echo '{low:4}{dig:3}&{up:3}' | sudo -S reboot",
    "secret in a header": "x-hasura-admin-secret: {b62:32}",
    "JSON web key": '{"kty": "oct", "k": "{url:43}"}',
}
"""Keys, tokens and passwords, as a text would hold them."""

PEOPLE = {
    "e-mail": "{low:6}.{low:7}@gmail.com",
    "e-mail in words": "{low:6} at gmail dot com",
    "e-mail with spaces": "{low:6} @ outlook . com",
    "phone": "+44 20 7031 3{dig:3}",
    "phone, digits": "+1415867{dig:4}",
    "local phone": "phone: 020 7031 3{dig:3}",
    "local mobile": "Call me on 0151 2{dig:3} {dig:4}",
    "birth": "Ann Person, born 12 March 19{dig:2}",
    "date of birth": "DOB: 19{dig:2}-03-12",
    "birth in German": "geb. 12.03.19{dig:2}",
    "passport": "Passport No. C{dig:2}X{dig:2}T4{dig:1}",
    "time of birth": "DOB: 19{dig:2}-03-12T00:00:00",
    "social security": "SSN 1{dig:2}-45-67{dig:2}",
    "national insurance": "AB{dig:6}C",
    "PAN": "ABCPE{dig:4}F",
    "sort code": "Sort code 20-0{dig:1}-{dig:2}, account number 5577{dig:4}",
    "dateOfBirth": "dateOfBirth: 19{dig:2}-03-12",
    "birth in French": "Date de naissance : 12/03/19{dig:2}",
    "contact number": "contact number 07911 1{dig:5}",
}
"""Personal data without a checksum."""


def samples(seed: int = 0) -> dict[str, str]:
    """Return one sample of every kind."""
    random = Random(seed)
    keys = {kind: drawn(shape, random) for kind, shape in {**KEYS, **PEOPLE}.items()}
    login = base64.b64encode(drawn("admin:{b62:14}", random).encode()).decode()
    return {**keys, **_checked(random), "basic": f"Authorization: Basic {login}"}


def drawn(shape: str, random: Random) -> str:
    """Return a text of a shape."""
    return re.sub(r"\{(\w+):(\d+)\}", lambda m: "".join(random.choices(ALPHABETS[m[1]], k=int(m[2]))), shape)


def _checked(random: Random) -> dict[str, str]:
    """Return numbers with checksums."""
    card, aadhaar = drawn("411111{dig:9}", random), drawn("4{dig:10}", random)
    account = drawn("37040044{dig:10}", random)
    german = f"DE{iban.calc_check_digits('DE00' + account)}{account}"
    french = drawn("18505780{dig:5}", random)
    citizen = next(number for number in map(str, range(123450000, 123459999)) if bsn.is_valid(number))
    aadhaar += verhoeff.calc_check_digit(aadhaar)
    return {
        "card": card + luhn.calc_check_digit(card),
        "IBAN": german,
        "IBAN with spaces": iban.format(german),
        "IBAN in a sentence": f"Pay to {german} PLEASE AND SOON",
        "French number": french + nir.calc_check_digits(french),
        "Dutch number": f"BSN {citizen}",
        "Aadhaar": f"{aadhaar[:4]} {aadhaar[4:8]} {aadhaar[8:]}",
    }
