"""What is a secret: decided once for the lint rule, the masks in messages and the modes of files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias

from tfdsl.patterns import regex

Group: TypeAlias = Literal["password", "key", "connection"]
"""``password``: any text can be one; ``key``: a token, which is not a number; ``connection``: an address, which may
contain a password."""

_WORD: Final = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PASSWORD_ENDINGS: Final = ("password", "passwd", "passphrase", "passwords", "pswd", "clientsecret", "appsecret")
_PASSWORD_WORDS: Final = frozenset(
    {"pass", "pw", "pwd", "secret", "secrets", "credential", "credentials", "cred", "creds"}
)
_GLUED: Final = _set("dbpass keypass rootpass storepass userpass")
_KEY_ENDINGS: Final = (
    "token", "apikey", "accesskey", "authkey", "secretkey", "privatekey", "signingkey", "encryptionkey", "masterkey",
)  # fmt: skip
_KEY_WORDS: Final = frozenset(
    {"key", "auth", "authorization", "bearer", "jwt", "keytab", "cookie", "otp", "pat", "dsn", "dockerconfigjson"}
)
_SEVERAL: Final = {"keys": "key", "tokens": "token"}
_OF_SEVERAL: Final = frozenset({"access", "api", "auth", "bearer", "private", "refresh", "session", "signing", "ssh"})

_PLAIN_NEIGHBOURS: Final = {
    "pass": frozenset(
        {"backward", "first", "forward", "multi", "second", "single", "two", "by", "high", "low", "band"}
    ),
    "token": _set(
        "begin bos class cls end eos first image last mask max min new next num pad per prefix prompt sep special start"
        " stop unk unknown separator eot think"
    ),
    "key": _set(
        "batch best bucket cache candidate column composite config context correlation data dedup default dict"
        " example feature field foreign group hash hot idempotency image index input item join json label lookup loss"
        " map message meta metadata metric monitor natural node object order output partition primary pub public rank"
        " record reduce region row rng routing shard sort state tag target text topic topology trace train unique value"
        " variable wait any press"
    ),
}
"""Words before the last one that make it harmless: special tokens of language models, keys of tables."""

_ABOUT: Final = _set(
    "age alg algorithm attempts audience backend checks cmd command count dim dir directory disabled email enabled"
    " encoding env endpoint expiration expires expiry file folder format helper hint host hostname id ids interval"
    " issuer kind len length lifetime limit location manager max method min mode name names namespace path paths policy"
    " port prefix provider ratio ref region required retries rotation rounds scope scopes size store suffix template"
    " timeout ttl type user username version"
)
"""Last words of names that describe a secret: where it is, how long it is valid."""

_TAIL: Final = _set("base base64 b64 dev development json live new old pem prod production sandbox stage staging value")
"""Last words that make no difference: ``API_KEY_PROD``."""

_CONNECTION_ENDS: Final = frozenset({"url", "uri"})
_CONNECTION_WORDS: Final = _set(
    "amqp broker cache celery database db elasticsearch mongo mongodb mysql postgres postgresql pg rabbitmq redis"
    " sqlalchemy"
)
_WEBHOOKS: Final = frozenset({"slack", "discord", "teams", "mattermost"})
_PLACES: Final = frozenset({"GOOGLE_APPLICATION_CREDENTIALS", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "KRB5_KTNAME"})
"""Names that other programs use for paths."""


def group(name: str) -> Group | None:
    """The kind of secret that a variable, option or key of this name contains; ``None`` for none."""
    if name in _PLACES:
        return None
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and (words[-1].isdecimal() or words[-1] in _TAIL):
        words.pop()
    if not words:
        return None
    if _is_connection(words):
        return "connection"
    if words[-1] in _ABOUT and words[-2:] != ["secret", "id"]:  # half of a Vault login
        return None
    if any(_is_password(words, at) for at in range(len(words))):
        return "password"
    return "key" if _is_key(words) else None


def _is_connection(words: list[str]) -> bool:
    if words[-2:] == ["connection", "string"] or words[-2:] == ["conn", "str"]:
        return True
    if "webhook" in words and _WEBHOOKS.intersection(words):
        return True
    return len(words) > 1 and words[-1] in _CONNECTION_ENDS and bool(_CONNECTION_WORDS.intersection(words))


def _is_password(words: list[str], at: int) -> bool:
    """Whether the word at ``at`` means a password; a short word only at the end."""
    word = words[at]
    if word.endswith(_PASSWORD_ENDINGS) or word in _GLUED:
        return True
    if word not in _PASSWORD_WORDS:
        return False
    if word in ("pass", "pw", "pwd"):
        return at == len(words) - 1 and (words[at - 1] not in _PLAIN_NEIGHBOURS["pass"] if at else word == "pass")
    return True


def _is_key(words: list[str]) -> bool:
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _SEVERAL:
        return before in _OF_SEVERAL
    if last in ("key", "pat", "otp"):
        return bool(before) and before not in _PLAIN_NEIGHBOURS["key"]
    if last == "token":
        return before not in _PLAIN_NEIGHBOURS["token"]
    return last in _KEY_WORDS or last.endswith(_KEY_ENDINGS)


# The forms are those that services publish for secret scanners. A form is searched for only where its prefix is in the
# text, so most texts only cost a search for fixed strings. The time is linear in the text: an unbounded repetition
# begins where none of its characters precede it, or ends the form.

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


__all__ = ["in_command", "in_words", "is_secret", "secret_in"]


_SWITCHES: Final = _set(
    "0 1 true false yes no on off none null nil auto always never optional required enabled disabled"
)
_SCHEMES: Final = _set(
    "default basic bearer digest kerberos gssapi negotiate ntlm oauth oauth2 oidc ldap saml sasl simple md5 trust token"
    " jwt anonymous"
)
"""Values that name a way to authenticate, which is not a secret."""

_PATH: Final = regex(r"(?:file:/*)?(?:~|\.{0,2})(?:/[a-z0-9._@-]+)+/?|(?:file:|[~.]{0,2}/)\S*\.[A-Za-z]\w{0,9}")
_ELSEWHERE: Final = regex(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|<[^<>]*>|\*+|\{\{.*\}\}|`[^`]*`", re.S)
"""A reference to a value elsewhere, or a placeholder."""
_ADDRESS: Final = regex(r"(?:jdbc:)?[A-Za-z][A-Za-z0-9+.-]*:/{0,2}[^\s]*")

_QUOTED: Final = r"\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|\"'()]+"
_SET: Final = regex(rf"(?:^|(?<=[\s;&|(\"'?,]))-{{0,2}}([A-Za-z_][\w.-]*)=({_QUOTED})")
_FLAG: Final = regex(rf"(?:^|(?<=\s))--?([A-Za-z][\w-]*)[ \t]+(?!-)({_QUOTED})")


def is_secret(name: str, value: str) -> bool:
    """Whether ``value`` under ``name`` (of a variable, an option, a key) must be kept secret.

    A path only says where a secret is; a switch, a reference and an address without a password are not secrets either.
    """
    if secret_in(value) is not None:
        return True
    kind = group(name)
    text = value.strip()
    if kind is None or not text or _ELSEWHERE.fullmatch(text) or _PATH.fullmatch(text):
        return False
    if kind == "connection":
        return not _ADDRESS.fullmatch(text) or next(in_command(text), None) is not None
    if text.lower() in _SWITCHES:
        return False
    return kind == "password" or not (text.lower() in _SCHEMES or re.fullmatch(r"[0-9.]{1,9}", text))


def in_words(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The secrets in the words of a command: the number of the word, and the name of the secret.

    ``--password=x``, ``--password x``, ``PGPASSWORD=x``; a secret recognized by its form is named by its description.
    """
    for at, word in enumerate(words):
        flag = words[at - 1] if at else ""
        follows = flag.startswith("-") and "=" not in flag and not word.startswith("-")
        if follows and is_secret(flag.lstrip("-"), word):
            yield at, flag
        else:
            for name in in_command(word):
                yield at, name


def in_command(text: str) -> Iterator[str]:
    """The names of the secrets in the text of a command, or in one word of it."""
    found = False
    for pattern in (_SET, _FLAG):
        for match in pattern.finditer(text):
            value = match[2].strip("\"'")
            if group(match[1]) is not None and value[:1] not in ("$", "`", "") and is_secret(match[1], value):
                found = True
                yield match[0][: match.end(1) - match.start()]
    what = None if found else secret_in(text)
    if what is not None:
        yield what
