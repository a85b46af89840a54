"""The forms of names, numbers and quantities in Kubernetes objects.

Source: Kubernetes `apimachinery/pkg/util/validation`, `apimachinery/pkg/api/resource` (quantities) and
`pkg/apis/core/validation`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from tfdsl.patterns import regex
from tfdsl.vocabulary.quantities import LONGEST_AMOUNT

_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_DNS_LABEL: Final = regex(rf"{_LABEL}\Z")
_SUBDOMAIN: Final = regex(r"(?=.{1,253}\Z)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z")
_QUALIFIED: Final = regex(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?\Z")
_LABEL_VALUE: Final = regex(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?\Z")
_PORT_NAME: Final = regex(r"(?=.*[a-z])(?!.*--)[a-z0-9](?:[-a-z0-9]{0,13}[a-z0-9])?\Z")
_ENV_NAME: Final = regex(r"(?!\.\.?\Z)(?!\.\.)[ -<>-~]+\Z")
_QUANTITY: Final = regex(
    r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,3})?\Z"
)
_SCALES: Final = {
    **{unit: Decimal(10) ** power for unit, power in zip(("n", "u", "m", "", "k"), (-9, -6, -3, 0, 3), strict=True)},
    **{unit: Decimal(10) ** (3 * power) for power, unit in enumerate("MGTPE", 2)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}


def is_dns_label(text: object) -> bool:
    """Whether ``text`` is a DNS label (RFC 1123)."""
    return isinstance(text, str) and _DNS_LABEL.match(text) is not None


def is_dns_name(text: object) -> bool:
    """Whether ``text`` is a DNS name (RFC 1123 subdomain)."""
    return isinstance(text, str) and _SUBDOMAIN.match(text) is not None


def is_qualified_name(text: object) -> bool:
    """Whether ``text`` can be the key of a label: a name, or a domain, a slash and a name."""
    if not isinstance(text, str):
        return False
    domain, slash, name = text.rpartition("/")
    return _QUALIFIED.match(name) is not None and (not slash or is_dns_name(domain))


def is_label_value(text: object) -> bool:
    """Whether ``text`` can be the value of a label."""
    return isinstance(text, str) and _LABEL_VALUE.match(text) is not None


def is_port_name(text: object) -> bool:
    """Whether ``text`` can be the name of a container's port (IANA service name)."""
    return isinstance(text, str) and _PORT_NAME.match(text) is not None


def is_env_name(text: object) -> bool:
    """Whether ``text`` can be the name of an environment variable: printable ASCII without ``=``."""
    return isinstance(text, str) and _ENV_NAME.match(text) is not None


def is_port(number: object) -> bool:
    """Whether ``number`` is a port."""
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= 65535


def is_int32(number: object) -> bool:
    """Whether ``number`` is an int of 32 bits that is not negative."""
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**31


def quantity(value: object) -> Decimal | None:
    """The amount that a quantity stands for; ``None`` when it is not one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, int) and abs(value) >= 10**LONGEST_AMOUNT:  # Python does not write numbers of any length
        return None
    text = str(value)
    parts = _QUANTITY.match(text) if len(text) <= LONGEST_AMOUNT else None
    if parts is None:
        return None
    unit = parts.group(2) or ""
    if unit in _SCALES:
        return Decimal(parts.group(1)) * _SCALES[unit]
    return Decimal(parts.group(1)) * Decimal(10) ** int(unit[1:])
