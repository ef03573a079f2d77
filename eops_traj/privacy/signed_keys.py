"""Keys with a sign of their own: found wherever they lie, and in texts without their spaces."""

from eops_traj.privacy.service_keys import SERVICE_KEYS
from eops_traj.privacy.shape import (
    BEGIN,
    Shape,
    drawn_by_chance,
    hexadecimal,
    no_words,
    no_zeros,
    with_digit,
)  # fmt: skip

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
    "Fireworks key": Shape(r"fw_[A-Za-z0-9]{22,}", no_words),
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
    "Mailchimp Access Key": Shape(r"[0-9a-z]{32}-us[0-9]{1,2}", lambda key: hexadecimal(key[:32])),
    "Twilio API Key": Shape(r"(?:AC|SK)[a-z0-9]{32}", lambda key: hexadecimal(key[2:])),
    "Telegram Bot Token": Shape(r"\d{8,10}:[0-9A-Za-z_-]{35}", lambda key: no_words(key.split(":")[1])),
    "Discord Bot Token": Shape(r"[MNO][A-Za-z\d_-]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27}"),
    "Square OAuth Secret": Shape(r"sq0csp-[0-9A-Za-z\\_-]{43}|sq0atp-[0-9A-Za-z_-]{22}"),
    "Square token": Shape(r"EAAA[0-9A-Za-z_-]{56,}", no_zeros),
    "Shopify token": Shape(r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    "NPM token": Shape(r"npm_[A-Za-z0-9]{36}"),
    "PyPI Token": Shape(r"pypi-[A-Za-z0-9_-]{50,}"),
    "Docker token": Shape(r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    "DigitalOcean token": Shape(r"do[opr]_v1_[a-f0-9]{64}"),
    "Databricks token": Shape(r"dapi[a-f0-9]{32}"),
    "HashiCorp Vault token": Shape(r"hv[bs]\.[A-Za-z0-9_-]{24,}"),
    "Atlassian token": Shape(r"AT[AC]TT3[A-Za-z0-9_=-]{50,}|ATBB[A-Za-z0-9]{28,}", no_words),
    "Grafana token": Shape(r"gls?[ac]_[A-Za-z0-9+/=_]{32,}"),
    "New Relic key": Shape(r"NR(?:AK|JS|II)-[A-Za-z0-9_-]{19,}"),
    "Linear key": Shape(r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    "Notion token": Shape(r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}"),
    "Figma token": Shape(r"figd_[A-Za-z0-9_-]{36,}"),
    "Postman key": Shape(r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    "Sanity token": Shape(
        BEGIN + r"(sk[A-Za-z0-9]{80,})", lambda key: no_words(key) and drawn_by_chance(key)
    ),
    "Sentry token": Shape(r"sntry[su]_[A-Za-z0-9+/=_]{40,}"),
    "Airtable token": Shape(r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    "Supabase key": Shape(r"sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,}"),
    "Netlify token": Shape(r"nfp_[A-Za-z0-9]{36,}"),
    "Heroku key": Shape(r"HRKU-[A-Za-z0-9_-]{36,}"),
    "Fly token": Shape(r"fm[12][a-z]?_[A-Za-z0-9+/=_-]{60,}|fo1_[A-Za-z0-9_-]{40,}", with_digit),
    "Render key": Shape(r"rnd_[A-Za-z0-9]{28,}", no_words),
    "PlanetScale key": Shape(r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,}"),
    "PayPal token": Shape(r"access_token\$(?:production|sandbox)\$[a-z0-9]{13,}\$[a-f0-9]{32}"),
    "Dropbox token": Shape(r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,}", with_digit),
    "Doppler token": Shape(
        r"dp\.(?:pt|st|ct|sa|scim)\.(?:[a-z0-9_-]{1,40}\.)?[A-Za-z0-9]{40,44}", with_digit
    ),
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
} | {kind: Shape(pattern, with_digit) for kind, pattern in SERVICE_KEYS.items()}
"""Shapes with a sign of their own, by kind: found wherever they lie."""
