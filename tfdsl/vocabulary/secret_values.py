"""Texts that are secrets by their form, whatever they are called.

The forms are those that services publish for secret scanners: fixed prefixes (``ghp_``, ``AKIA``), PEM blocks, web
tokens, passwords in addresses. A form is searched for only where its prefix is in the text, so that most texts only
cost a search for fixed strings. The time is linear in the text: an unbounded repetition begins where none of its
characters precede it, or ends the form.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_MIXED: Final = r"(?=[\w-]{0,60}[0-9])(?=[\w-]{0,60}[A-Z])"

_FORMS: Final = (
    ("ghp_", r"ghp_\w{20,}", "a GitHub token"),
    ("gho_", r"gho_\w{20,}", "a GitHub token"),
    ("ghu_", r"ghu_\w{20,}", "a GitHub token"),
    ("ghs_", r"ghs_\w{20,}", "a GitHub token"),
    ("ghr_", r"ghr_\w{20,}", "a GitHub token"),
    ("github_pat_", r"github_pat_\w{22,}", "a GitHub token"),
    ("glpat-", r"glpat-[\w-]{20,}", "a GitLab token"),
    ("gldt-", r"gldt-[\w-]{20,}", "a GitLab token"),
    ("glrt-", r"glrt-[\w-]{20,}", "a GitLab token"),
    ("glptt-", r"glptt-[\w-]{20,}", "a GitLab token"),
    ("AKIA", r"AKIA[A-Z0-9]{16}\b", "an AWS access key"),
    ("ASIA", r"ASIA[A-Z0-9]{16}\b", "an AWS access key"),
    ("AIza", r"AIza[\w-]{35}", "a Google API key"),
    ("ya29.", r"ya29\.[\w-]{20,}", "a Google access token"),
    ("GOCSPX-", r"GOCSPX-[\w-]{20,}", "a Google client secret"),
    ("xox", r"xox[abeoprs]-[\w-]{10,}", "a Slack token"),
    ("xapp-", r"xapp-[\w-]{10,}", "a Slack token"),
    ("hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows)/[\w/+-]{10,}", "a Slack webhook"),
    ("/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/[\w/-]{10,}", "a Discord webhook"),
    ("sk_", r"sk_(?:live|test)_\w{10,}", "a Stripe key"),
    ("rk_", r"rk_(?:live|test)_\w{10,}", "a Stripe key"),
    ("whsec_", r"whsec_\w{20,}", "a Stripe secret"),
    ("sk-", rf"sk-{_MIXED}[\w-]{{20,}}", "an API key"),
    ("hf_", r"hf_[A-Za-z0-9]{30,}", "a Hugging Face token"),
    ("gsk_", r"gsk_\w{40,}", "a Groq API key"),
    ("r8_", r"r8_\w{30,}", "a Replicate token"),
    ("npm_", r"npm_[A-Za-z0-9]{30,}", "an npm token"),
    ("pypi-AgE", r"pypi-AgE[\w-]{20,}", "a PyPI token"),
    ("rubygems_", r"rubygems_[a-f0-9]{40,}", "a RubyGems key"),
    ("dckr_pat_", r"dckr_pat_[\w-]{20,}", "a Docker Hub token"),
    ("dapi", r"dapi[a-f0-9]{32}", "a Databricks token"),
    ("hvs.", r"hvs\.[\w-]{20,}", "a Vault token"),
    ("hvb.", r"hvb\.[\w-]{20,}", "a Vault token"),
    (".atlasv1.", r"\w{14}\.atlasv1\.[\w-]{20,}", "a Terraform Cloud token"),
    ("pul-", r"pul-[a-f0-9]{40}", "a Pulumi token"),
    ("SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}", "a SendGrid key"),
    ("_v1_", r"do[opr]_v1_[a-f0-9]{40,}", "a DigitalOcean token"),
    ("shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "a Shopify token"),
    ("lin_api_", r"lin_api_\w{30,}", "a Linear key"),
    ("glsa_", r"glsa_\w{30,}", "a Grafana token"),
    ("NRAK-", r"NRAK-[A-Z0-9]{20,}", "a New Relic key"),
    ("sntry", r"sntry[su]_[\w+/=-]{20,}", "a Sentry token"),
    ("PMAK-", r"PMAK-[a-f0-9-]{40,}", "a Postman key"),
    ("dp.pt.", r"dp\.pt\.\w{30,}", "a Doppler token"),
    ("ATATT3", r"ATATT3[\w=-]{50,}", "an Atlassian token"),
    ("LTAI", r"LTAI[A-Za-z0-9]{12,24}\b", "an Alibaba Cloud access key"),
    (":AA", r"\b[0-9]{8,10}:AA[\w-]{30,}", "a Telegram token"),
    ("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}", "an age key"),
    ("AccountKey=", r"AccountKey=[A-Za-z0-9+/=]{20,}", "an Azure account key"),
    ("SharedAccessKey=", r"SharedAccessKey=[A-Za-z0-9+/=]{20,}", "an Azure shared key"),
    ("sig=", r"[?&]sig=[\w%+/-]{20,}", "a signed Azure URL"),
    ("PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----", "a private key"),
    ("eyJ", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*", "a web token (JWT)"),
    ("earer ", r"\b[Bb]earer (?=[\w.+/~-]*[0-9])[\w.+/~-]{16,}=*", "a bearer token"),
    ("asic ", r"\b[Bb]asic (?=[\w+/]*[A-Z0-9])[\w+/]{12,}=*", "a user and password"),
    ("://", r"\b[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s/?#:@\"']{0,200}:(?![$<*])[^\s/?#@\"']{1,200}@", "a password"),
)
"""A string that every text of the form contains, the form, and its description."""


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form)


def secret_in(text: str) -> str | None:
    """The description of a secret in ``text``; ``None`` when it has none."""
    for beginning, form, what in _FORMS:
        if beginning in text and _compiled(form).search(text):
            return what
    return None
