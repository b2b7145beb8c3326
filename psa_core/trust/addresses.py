"""Which hosts may be asked, on whose authority, and which receive the token."""

from __future__ import annotations

import fnmatch
import os
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, parse_qsl, urlsplit

from psa_core.errors import ModelError

ALLOW = "PSA_HTTP_ALLOW"
TOKEN = "PSA_HTTP_TOKEN"
LOCAL = ("localhost", "127.0.0.1", "::1")
SECRET_WORDS = ("token", "secret", "password", "passwd", "pwd", "auth", "authorization", "key", "sig", "signature")
EXAMPLE = "an address such as http://localhost:8080/score"
# An IPv4 address stands in the last four bytes of these.
CARRIERS = (IPv6Network("::/96"), IPv6Network("64:ff9b::/96"))
#: Set aside for protocols and examples, which older Pythons take for public; a cloud answers at 192.0.0.192.
SET_ASIDE: tuple[IPv4Network | IPv6Network, ...] = (
    IPv4Network("192.0.0.0/24"),
    *map(IPv6Network, ("64:ff9b:1::/48", "100::/64", "2001:db8::/32", "3fff::/20", "5f00::/16")),
)
Address = IPv4Address | IPv6Address


def allowed(address: str) -> str:
    """The whole address, when it is one that may be asked here.

    ``PSA_HTTP_ALLOW``, where it is set, lists the hosts that may be: ``models.example.org,localhost:8080,*.example``.
    Raises `ModelError` when it is no http or https address, holds a secret, or its host is not allowed.
    """
    address_text, parts = _split(address)
    secrets = [key for key, _ in parse_qsl(parts.query, keep_blank_values=True) if key.lower().endswith(SECRET_WORDS)]
    if parts.username or parts.password or secrets:
        fix = f"Leave it out and set {TOKEN} in the environment."
        raise ModelError("http", got="an address with a secret in it", expected="an address without", fix=fix)
    if ALLOW in os.environ and not is_listed(address_text):
        fix = f"Ask whoever runs this app to add it to {ALLOW}."
        raise ModelError("http", got=f"the host {parts.hostname}", expected=", ".join(_rules()) or "none", fix=fix)
    return address_text


def is_listed(address: str) -> bool:
    """Whether ``PSA_HTTP_ALLOW`` lists the host of an address; False while it is not set."""
    return _matches(address, _rules())


def token_may_go(address: str) -> bool:
    """Whether the operator named a host closely enough to give it the token: a name, or ``*.`` before two parts."""
    hosts = ((rule, rule.removeprefix("*.")) for rule in _rules())
    close = [rule for rule, host in hosts if not set(host) & set("*?[") and (host == rule or "." in host)]
    return _matches(address, close)


def public_addresses(address: str) -> list[str]:
    """The numbers that an address's host stands for now, where a stranger may have all of them asked.

    Each is outside of this machine and its networks, or is itself in ``PSA_HTTP_ALLOW`` (``10.0.0.5``,
    ``10.0.0.0/8``, ``localhost``). Connect to one of these, not to the name, which may stand for another one by then.
    Raises `ModelError` when there is none, or one of them may not be asked.
    """
    _, parts = _split(address)
    port = _port(parts)
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ModelError("http", got=f"the unknown host {parts.hostname}", expected="a host that exists") from error
    numbers = list(dict.fromkeys(str(place[4][0]) for place in found))
    own = [number for number in map(ip_address, numbers) if not is_public(number)]
    if not numbers or any(not any(_holds(rule, number, port) for rule in _rules()) for number in own):
        got = f"{parts.hostname}, an address of this machine or of its network"
        fix = f"Whoever runs this app may add it to {ALLOW}."
        raise ModelError("http", got=got, expected="a public address", fix=fix)
    return numbers


def is_public(number: Address) -> bool:
    """Whether an address is outside of this machine and its networks, also where it carries another one inside."""
    if isinstance(number, IPv6Address):
        carried = [number.ipv4_mapped, number.sixtofour, *(number.teredo or ())]
        carried += [IPv4Address(int(number) & 0xFFFFFFFF) for carrier in CARRIERS if number in carrier]
        if not all(is_public(inner) for inner in carried if inner is not None):
            return False
        if number.ipv4_mapped is not None:
            return True
    special = number.is_multicast or number.is_reserved or number.is_unspecified
    special = special or getattr(number, "is_site_local", False) or any(number in network for network in SET_ASIDE)
    return number.is_global and not special


def _split(address: str) -> tuple[str, SplitResult]:
    """The whole address and its parts, on which this parser and the one that connects agree."""
    import httpx

    address_text = f"http:{address}" if address.startswith("//") else address
    try:
        parts = urlsplit(address_text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        url = httpx.URL(address_text)
    except (ValueError, httpx.InvalidURL) as error:
        raise ModelError("http", got=repr(address[:120]), expected=EXAMPLE) from error
    agree = url.host.partition("%")[0] == str(parts.hostname).partition("%")[0] and url.port in (parts.port, None)
    if not known or not agree:
        raise ModelError("http", got=repr(address[:120]), expected=EXAMPLE)
    return address_text, parts


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _rules() -> list[str]:
    return [rule.strip().lower() for rule in os.environ.get(ALLOW, "").split(",") if rule.strip()]


def _matches(address: str, rules: list[str]) -> bool:
    try:
        _, parts = _split(address)
    except ModelError:
        return False
    host = str(parts.hostname).lower()
    forms = (host, f"{host}:{_port(parts)}")
    return any(fnmatch.fnmatchcase(form, rule) for form in forms for rule in rules)


def _holds(rule: str, number: Address, port: int) -> bool:
    """Whether a rule is a number, a network or ``localhost``, with this port or none, and this number is in it."""
    host, colon, digits = rule.rpartition(":")
    if not colon or not digits.isdecimal() or (":" in host and not host.startswith("[")):
        host, digits = rule, str(port)
    if digits != str(port):
        return False
    if host == "localhost":
        return number.is_loopback
    try:
        return number in ip_network(host.strip("[]"), strict=False)
    except ValueError:
        return False
