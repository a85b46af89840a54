"""What is a secret and what is not.

The names are those that images, clients and frameworks document; the forms are the prefixes that GitHub lists for its
secret scanning and the rules of gitleaks name. The texts are made up here: no line of this file looks like a secret to
such a scanner.
"""

from __future__ import annotations

import time

import pytest

from tfdsl.vocabulary.secrets import in_command, in_words, is_secret, secret_in

SECRET_NAMES = """
    TELEGRAM_BOT_TOKEN SLACK_BOT_TOKEN PASS dbpass PSWD DB_CRED PRIVATE_KEY_PEM VAULT_SECRET_ID PASSWORDS
    PASSWORD PASSWD PASSPHRASE SECRET TOKEN CREDENTIALS API_KEY ACCESS_KEY PRIVATE_KEY SECRET_KEY PGPASSWORD
    MYSQL_PWD MYSQL_ROOT_PASSWORD POSTGRES_PASSWORD REDIS_PASSWORD RABBITMQ_DEFAULT_PASS DB_PASS DB_PW
    REDISCLI_AUTH HTTP_AUTH AUTH BEARER JWT AUTHORIZATION PROXY_AUTHORIZATION KEYTAB KRB5_KEYTAB
    RABBITMQ_ERLANG_COOKIE OPENAI_KEY OPENAI_API_KEY WANDB_KEY WANDB_API_KEY COMET_API_KEY NEPTUNE_API_TOKEN
    HF_TOKEN HUGGING_FACE_HUB_TOKEN KAGGLE_KEY MLFLOW_TRACKING_PASSWORD MLFLOW_TRACKING_TOKEN
    CLEARML_API_SECRET_KEY ANTHROPIC_API_KEY AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET
    AZURE_STORAGE_KEY AZURE_STORAGE_CONNECTION_STRING GITHUB_TOKEN GH_TOKEN GITHUB_PAT GITLAB_TOKEN CI_JOB_TOKEN
    NPM_TOKEN TWINE_PASSWORD VAULT_TOKEN CONSUL_HTTP_TOKEN DATABASE_URL SQLALCHEMY_DATABASE_URI
    CELERY_BROKER_URL REDIS_URL MONGODB_URI SENTRY_DSN SLACK_WEBHOOK_URL DJANGO_SECRET_KEY SECRET_KEY_BASE
    FERNET_KEY AIRFLOW__CORE__FERNET_KEY SIGNING_KEY ENCRYPTION_KEY LICENSE_KEY dbPassword apiKey APIKey
    clientSecret accessToken db-password hub.token minio_secret API_TOKEN_2 API_KEY_PROD SSH_KEYS API_TOKENS
    authtoken APIKEY DOCKER_PASSWORD SMTP_PASSWORD LDAP_BIND_PASSWORD ELASTIC_PASSWORD
"""

PLAIN_NAMES = """
    MONKEY KEYBOARD TOKENIZER TOKENIZERS_PARALLELISM AUTHOR GIT_AUTHOR_NAME AUTHORITY HOTKEY TURKEY COMPASS
    BYPASS PASSWORD_FILE PGPASSFILE POSTGRES_PASSWORD_FILE AWS_SHARED_CREDENTIALS_FILE
    GOOGLE_APPLICATION_CREDENTIALS AWS_WEB_IDENTITY_TOKEN_FILE TOKEN_PATH SECRET_NAME KEY_ID AWS_ACCESS_KEY_ID
    PUBLIC_KEY SSH_AUTH_SOCK PWD OLDPWD MAX_TOKENS NUM_TOKENS MAX_NEW_TOKENS PAD_TOKEN EOS_TOKEN UNK_TOKEN
    TOKEN_LIMIT TOKEN_TTL SORT_KEY PARTITION_KEY FEATURE_KEY LABEL_KEY IMAGE_KEY CACHE_KEY JWT_ISSUER
    JWT_ALGORITHM AUTH_TYPE AUTH_PROVIDER PASSWORD_MIN_LENGTH SINGLE_PASS FORWARD_PASS KEY SERVICE_URL MODEL_URI
    CALLBACK_URL TF_CONFIG PATH HOME USER BATCH_SIZE DATA_DIR
"""


@pytest.mark.parametrize("name", SECRET_NAMES.split())
def test_a_name_of_a_secret(name: str) -> None:
    assert is_secret(name, "s3cr3t-value")


@pytest.mark.parametrize("name", PLAIN_NAMES.split())
def test_a_name_of_something_else(name: str) -> None:
    assert not is_secret(name, "s3cr3t-value")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_TOKEN", ""),
        ("API_TOKEN", "/var/run/secrets/token"),
        ("KEYTAB", "/etc/security/user.keytab"),
        ("CREDENTIALS", "~/.aws/credentials"),
        ("CREDENTIALS", "file:///secrets/key.json"),
        ("PASSWORD", "${DB_PASSWORD}"),
        ("PASSWORD", "$(cat /run/secrets/password)"),
        ("API_KEY", "<your key>"),
        ("API_KEY", "****"),
        ("AUTH", "true"),
        ("AUTH", "kerberos"),
        ("REQUIRE_PASSWORD", "yes"),
        ("RETRY_TOKEN", "5"),
        ("DATABASE_URL", "postgres://db.example.com:5432/mnist"),
        ("REDIS_URL", "redis://redis:6379/0"),
    ],
)
def test_a_value_that_is_none_under_the_name_of_one(name: str, value: str) -> None:
    assert not is_secret(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PASSWORD", "123456"),
        ("PASSWORD", "default"),
        ("AWS_SECRET_ACCESS_KEY", "/K7MDENGbPxRfiCYEXAMPLE/KEY"),
        ("DATABASE_URL", "postgres://u:p@db/mnist"),
        ("DATABASE_URL", "jdbc:mysql://db/mnist?user=u&password=p"),
        ("PLACE", "amqp://guest:guest@mq//"),
    ],
)
def test_a_value_that_is_one(name: str, value: str) -> None:
    assert is_secret(name, value)


HEX, WORD = "0a" * 32, "aB3" * 20
FORMS = [
    *(start + WORD[:36] for start in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_", "hf_")),
    "github_pat_" + WORD[:50],
    *(start + WORD[:24] for start in ("glpat-", "gldt-", "glrt-", "hvs.", "hvb.", "dckr_pat_", "GOCSPX-", "ya29.")),
    "AKIA" + "ABCD2345" * 2,
    "ASIA" + "ABCD2345" * 2,
    "AIza" + WORD[:35],
    "xox" + "b-" + "1" * 12 + "-" + WORD[:20],
    "https://hooks.slack.com/" + "services/" + "T0/B0/" + WORD[:20],
    "https://discord.com/api/" + "webhooks/1/" + WORD[:20],
    "sk_" + "live_" + WORD[:24],
    "rk_" + "test_" + WORD[:24],
    "sk-" + "proj-" + WORD[:48],
    "sk-" + "ant-api03-" + WORD[:48],
    "gsk_" + WORD[:52],
    "pypi-" + "AgEIcHlwaS5vcmc" + WORD[:50],
    "rubygems_" + HEX[:48],
    "dapi" + HEX[:32],
    "pul-" + HEX[:40],
    "dop_" + "v1_" + HEX,
    "shpat_" + HEX[:32],
    "lin_api_" + WORD[:40],
    "glsa_" + WORD[:32] + "_" + HEX[:8],
    "NRAK-" + "ABC123" * 5,
    "SG." + WORD[:22] + "." + WORD[:43],
    "12345678:" + "AA" + WORD[:33],
    "AGE-SECRET-KEY-" + "1" + "QP" * 29,
    "DefaultEndpointsProtocol=https;AccountName=a;Account" + "Key=" + WORD + "==",
    "https://a.blob.core.windows.net/c?sv=2024&sig" + "=" + WORD[:43],
    "-----BEGIN RSA " + "PRIVATE KEY-----\nMII",
    "-----BEGIN " + "PRIVATE KEY-----",
    "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----",
    "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxIn0" + "." + WORD[:43],
    "Bearer " + WORD[:30],
    "Authorization: Basic " + "dXNlcjpwYXNz",
    "https://user:" + "hunter2@example.com/simple",
]


@pytest.mark.parametrize("text", FORMS)
def test_a_form_of_a_secret(text: str) -> None:
    assert secret_in(f"x={text} y") is not None


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "ghp_short",
        "sk-learn-pipelines-and-preprocessing",
        "https://example.com:8443/a@b",
        "hdfs://user@nn:8020/data",
        "https://${USER}:${PASSWORD}@example.com",
        "registry.example.com/ml/mnist:1.4@sha256:" + "0" * 64,
        "Bearer of bad news",
        "Basic training of models",
        "",
    ],
)
def test_a_form_of_something_else(text: str) -> None:
    assert secret_in(text) is None


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["train", "--password=hunter2"], ["--password"]),
        (["train", "--password", "hunter2", "--steps", "5"], ["--password"]),
        (["train", "--api-key", "abc", "--key", "label"], ["--api-key"]),
        (["env", "PGPASSWORD=abc", "psql"], ["PGPASSWORD"]),
        (["train", "--password-file", "/run/secrets/password"], []),
        (["train", "--token", "$TOKEN", "--eos-token", "</s>", "--auth", "gssapi", "--password"], []),
        (["train", "--token", "--steps=5"], []),
        (["clone", "https://u:p@example.com/x.git"], ["a password"]),
    ],
)
def test_words_of_a_command(words: list[str], names: list[str]) -> None:
    assert [name for _, name in in_words(words)] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("PGPASSWORD=abc psql", ["PGPASSWORD"]),
        ("export TOKEN='a b'; train", ["TOKEN"]),
        ("train --password hunter2 --steps 5", ["--password"]),
        ("train && curl -H 'Authorization: Bearer abcdefgh12345678'", ["a bearer token"]),
        ("TOKEN=$(cat /run/secrets/token) train --password=$PASSWORD", []),
        ("RUN --mount=type=secret,id=token pip install x", []),
    ],
)
def test_text_of_a_command(text: str, names: list[str]) -> None:
    assert list(in_command(text)) == names


@pytest.mark.parametrize(
    "piece",
    ["eyJaaaaaaaa-", "eyJaaaaaaaa.", "a://b:", "a=\"", "PASSWORD='", "--password ", "sk-", "SG.aaaaaaaaaaaaaaaaa.",
     "/a", "aA", "$(", "-----BEGIN RSA ", "Bearer ", "ghp_", "x.atlasv1."],
)  # fmt: skip
def test_the_time_grows_with_the_text(piece: str) -> None:
    def seconds(count: int) -> float:
        text = piece * count
        start = time.process_time()
        for _ in in_command(text):
            pass
        is_secret(text, text)
        return time.process_time() - start

    small = max(seconds(2_000), 0.002)
    assert seconds(16_000) < 40 * small
