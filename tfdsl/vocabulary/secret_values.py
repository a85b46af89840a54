"""Texts that are secrets by their form, whatever they are called.

The forms are those that the services publish for scanners of secrets: fixed beginnings (``ghp_``, ``AKIA``), blocks of
PEM, web tokens, passwords in addresses. A form is looked for only where its beginning is in the text, so that most
texts cost a search for fixed strings and nothing else. The time grows with the text alone: what a form repeats without
a bound begins where nothing of it stands before, or ends the form.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_MIXED: Final = r"(?=[\w-]{0,60}[0-9])(?=[\w-]{0,60}[A-Z])"

_FORMS: Final = (
    ("ghp_", r"ghp_\w{20,}", "a token of GitHub"),
    ("gho_", r"gho_\w{20,}", "a token of GitHub"),
    ("ghu_", r"ghu_\w{20,}", "a token of GitHub"),
    ("ghs_", r"ghs_\w{20,}", "a token of GitHub"),
    ("ghr_", r"ghr_\w{20,}", "a token of GitHub"),
    ("github_pat_", r"github_pat_\w{22,}", "a token of GitHub"),
    ("glpat-", r"glpat-[\w-]{20,}", "a token of GitLab"),
    ("gldt-", r"gldt-[\w-]{20,}", "a token of GitLab"),
    ("glrt-", r"glrt-[\w-]{20,}", "a token of GitLab"),
    ("glptt-", r"glptt-[\w-]{20,}", "a token of GitLab"),
    ("AKIA", r"AKIA[A-Z0-9]{16}\b", "an access key of AWS"),
    ("ASIA", r"ASIA[A-Z0-9]{16}\b", "an access key of AWS"),
    ("AIza", r"AIza[\w-]{35}", "an API key of Google"),
    ("ya29.", r"ya29\.[\w-]{20,}", "an access token of Google"),
    ("GOCSPX-", r"GOCSPX-[\w-]{20,}", "a client secret of Google"),
    ("xox", r"xox[abeoprs]-[\w-]{10,}", "a token of Slack"),
    ("xapp-", r"xapp-[\w-]{10,}", "a token of Slack"),
    ("hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows)/[\w/+-]{10,}", "a webhook of Slack"),
    ("/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/[\w/-]{10,}", "a webhook of Discord"),
    ("sk_", r"sk_(?:live|test)_\w{10,}", "a key of Stripe"),
    ("rk_", r"rk_(?:live|test)_\w{10,}", "a key of Stripe"),
    ("whsec_", r"whsec_\w{20,}", "a secret of Stripe"),
    ("sk-", rf"sk-{_MIXED}[\w-]{{20,}}", "an API key"),
    ("hf_", r"hf_[A-Za-z0-9]{30,}", "a token of Hugging Face"),
    ("gsk_", r"gsk_\w{40,}", "an API key of Groq"),
    ("r8_", r"r8_\w{30,}", "a token of Replicate"),
    ("npm_", r"npm_[A-Za-z0-9]{30,}", "a token of npm"),
    ("pypi-AgE", r"pypi-AgE[\w-]{20,}", "a token of PyPI"),
    ("rubygems_", r"rubygems_[a-f0-9]{40,}", "a key of RubyGems"),
    ("dckr_pat_", r"dckr_pat_[\w-]{20,}", "a token of Docker Hub"),
    ("dapi", r"dapi[a-f0-9]{32}", "a token of Databricks"),
    ("hvs.", r"hvs\.[\w-]{20,}", "a token of Vault"),
    ("hvb.", r"hvb\.[\w-]{20,}", "a token of Vault"),
    (".atlasv1.", r"\w{14}\.atlasv1\.[\w-]{20,}", "a token of Terraform Cloud"),
    ("pul-", r"pul-[a-f0-9]{40}", "a token of Pulumi"),
    ("SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}", "a key of SendGrid"),
    ("_v1_", r"do[opr]_v1_[a-f0-9]{40,}", "a token of DigitalOcean"),
    ("shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "a token of Shopify"),
    ("lin_api_", r"lin_api_\w{30,}", "a key of Linear"),
    ("glsa_", r"glsa_\w{30,}", "a token of Grafana"),
    ("NRAK-", r"NRAK-[A-Z0-9]{20,}", "a key of New Relic"),
    ("sntry", r"sntry[su]_[\w+/=-]{20,}", "a token of Sentry"),
    ("PMAK-", r"PMAK-[a-f0-9-]{40,}", "a key of Postman"),
    ("dp.pt.", r"dp\.pt\.\w{30,}", "a token of Doppler"),
    ("ATATT3", r"ATATT3[\w=-]{50,}", "a token of Atlassian"),
    ("LTAI", r"LTAI[A-Za-z0-9]{12,24}\b", "an access key of Alibaba Cloud"),
    (":AA", r"\b[0-9]{8,10}:AA[\w-]{30,}", "a token of Telegram"),
    ("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}", "a key of age"),
    ("AccountKey=", r"AccountKey=[A-Za-z0-9+/=]{20,}", "an account key of Azure"),
    ("SharedAccessKey=", r"SharedAccessKey=[A-Za-z0-9+/=]{20,}", "a shared key of Azure"),
    ("sig=", r"[?&]sig=[\w%+/-]{20,}", "a signed address of Azure"),
    ("PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----", "a private key"),
    ("eyJ", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*", "a web token (JWT)"),
    ("earer ", r"\b[Bb]earer (?=[\w.+/~-]*[0-9])[\w.+/~-]{16,}=*", "a bearer token"),
    ("asic ", r"\b[Bb]asic (?=[\w+/]*[A-Z0-9])[\w+/]{12,}=*", "a user and password"),
    ("://", r"\b[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s/?#:@\"']{0,200}:(?![$<*])[^\s/?#@\"']{1,200}@", "a password"),
)
"""What is in every text of the form, the form, and what it is."""


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form)


def secret_in(text: str) -> str | None:
    """What secret ``text`` holds, in words; ``None`` when none has been found."""
    for beginning, form, what in _FORMS:
        if beginning in text and _compiled(form).search(text):
            return what
    return None
