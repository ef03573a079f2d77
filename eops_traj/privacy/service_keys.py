"""Keys of further services: each begins with a sign of its own, so that a pattern tells it wherever it lies.

The syntax is that of RE2, as in :mod:`eops_traj.privacy.secret_shapes`. Every key holds a digit.
"""

SERVICE_KEYS = {
    "1Password token": r"ops_eyJ[A-Za-z0-9+/=_-]{100,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6}[A-Z0-9-]{18,}",
    "Adafruit key": r"aio_[A-Za-z0-9]{28}",
    "Aiven password": r"AVNS_[A-Za-z0-9_-]{16,}",
    "Alibaba key": r"LTAI[A-Za-z0-9]{20,}",
    "Anyscale key": r"esecret_[A-Za-z0-9]{24,}",
    "Artifactory reference": r"cmVmdGtu[A-Za-z0-9]{56}",
    "Asana token": r"[12]/\d{13,16}(?:/\d{13,16})?:[a-f0-9]{32}",
    "AWS Bedrock key": r"ABSK[A-Za-z0-9+/]{90,}={0,2}",
    "Azure DevOps token": r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{12,}",
    "Brevo key": r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
    "Buildkite token": r"bk(?:ua|aa|ct)_[a-f0-9]{40}",
    "Cerebras key": r"csk-[a-z0-9]{40,}",
    "CircleCI token": r"CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40}",
    "ClickUp token": r"pk_\d{6,10}_[A-Z0-9]{32}",
    "Clojars token": r"(?i:clojars_)[a-f0-9]{60}",
    "Cloudflare origin key": r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}",
    "Contentful token": r"CFPAT-[A-Za-z0-9_-]{40,}",
    "Deno token": r"ddp_[A-Za-z0-9]{36}",
    "Duffel token": r"duffel_(?:live|test)_[A-Za-z0-9_=-]{40,}",
    "Dynatrace token": r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}",
    "EasyPost key": r"EZ[AT]K[A-Za-z0-9]{54}",
    "ElevenLabs key": r"sk_[a-f0-9]{48}",
    "Facebook token": r"EAACEdEose0cBA[A-Za-z0-9]{20,}|EAAG[A-Za-z0-9]{80,}",
    "Firecrawl key": r"fc-[a-f0-9]{32}",
    "Flutterwave key": r"FLWSECK(?:_TEST)?-[a-f0-9]{12,32}-X",
    "Frame.io token": r"fio-u-[A-Za-z0-9_=-]{64}",
    "Google AI key": r"AQ\.Ab8[A-Za-z0-9_-]{40,}",
    "Harness token": r"[ps]at\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}",
    "HubSpot token": r"pat-(?:na|eu|ap)\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
    "Infracost key": r"ico-[A-Za-z0-9]{32}",
    "Jina key": r"jina_[A-Za-z0-9]{40,}",
    "Kaggle token": r"KGAT_[a-f0-9]{32}",
    "LangSmith key": r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
    "Octopus key": r"API-[A-Z0-9]{26,32}",
    "OpenSSH key": r"b3BlbnNzaC1rZXktdjEA[A-Za-z0-9+/=]{20,}",
    "Pinecone key": r"pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{40,}",
    "Plaid token": r"access-(?:production|sandbox|development)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
    "PostHog key": r"ph[xs]_[A-Za-z0-9]{40,}",
    "Prefect key": r"pn[ub]_[A-Za-z0-9]{36}",
    "Pulumi token": r"pul-[a-f0-9]{40}",
    "Razorpay key": r"rzp_(?:live|test)_[A-Za-z0-9]{14}",
    "ReadMe key": r"rdme_[a-z0-9]{70}",
    "Resend key": r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}",
    "Shippo token": r"shippo_(?:live|test)_[a-f0-9]{40}",
    "Snyk token": r"snyk_[su]at\.[a-f0-9]{8}\.[A-Za-z0-9_-]{40,}",
    "Sourcegraph token": r"sgp_(?:[a-zA-Z0-9]{1,20}_)?[a-f0-9]{40}",
    "Stripe organisation key": r"sk_org_(?:live|test)_[A-Za-z0-9]{20,}",
    "Tailscale key": r"tskey-[a-z]{2,10}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}",
    "Tavily key": r"tvly-(?:dev-|prod-)?[A-Za-z0-9-]{30,}",
    "Tencent key": r"AKID[A-Za-z0-9]{32}",
    "Trello token": r"ATTA[a-f0-9]{60,}",
    "Twitter token": r"A{20,}[A-Za-z0-9]{20,}%3[dD][A-Za-z0-9%]{20,}",
    "Typeform token": r"tfp_[A-Za-z0-9_=.-]{40,}",
    "Vercel token": r"vc[aikpr]_[A-Za-z0-9]{40,}",
    "Yandex key": r"AQVN[A-Za-z0-9_-]{35,}",
    "password hash": (
        r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}"
        r"|\$(?:1|5|6|y|apr1)\$(?:rounds=\d{1,9}\$|j[A-Za-z0-9]{1,4}\$)?[./A-Za-z0-9]{2,24}\$[./A-Za-z0-9]{22,86}"
        r"|\$argon2(?:id|i|d)\$[\w=,$]{1,60}\$[A-Za-z0-9+/]{8,64}\$[A-Za-z0-9+/]{20,}"
        r"|pbkdf2_sha\d{1,3}\$\d{3,8}\$[A-Za-z0-9]{8,40}\$[A-Za-z0-9+/]{40,}=?"
        r"|:[a-f0-9]{32}:[a-f0-9]{32}:::"
    ),
}
"""The pattern of each kind, by the name that a message gives to it."""
