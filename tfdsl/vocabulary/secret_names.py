"""Names that people give to secrets, recognized by their words.

``PGPASSWORD``, ``db-password`` and ``dbPassword`` name a secret; ``TOKENIZER``, ``MONKEY``, ``PASSWORD_FILE`` and
``EOS_TOKEN`` do not.
"""

from __future__ import annotations

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
        " record reduce region row rng routing shard sort state tag target text topic trace train unique value"
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
