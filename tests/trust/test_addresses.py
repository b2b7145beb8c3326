"""A visitor reaches no address of the server or its networks, however it is written and whatever it resolves to."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from psa_core import models
from psa_core.asking.endpoint import Endpoint
from psa_core.errors import ModelError, PsaError
from psa_core.trust import Origin, addresses

HERE = {
    "loopback": "127.0.0.1",
    "another loopback": "127.8.9.10",
    "its name": "localhost",
    "decimal": "2130706433",
    "octal": "0177.0.0.1",
    "hexadecimal": "0x7f000001",
    "short": "127.1",
    "nowhere": "0.0.0.0",
    "zero": "0",
    "link-local, with a cloud's secrets": "169.254.169.254",
    "link-local, decimal": "2852039166",
    "private 10": "10.0.0.1",
    "private 172": "172.16.5.4",
    "private 192": "192.168.1.1",
    "a carrier's": "100.100.100.200",
    "multicast": "224.0.0.1",
    "broadcast": "255.255.255.255",
    "IPv6 loopback": "[::1]",
    "IPv6 nowhere": "[::]",
    "IPv6 link-local": "[fe80::1]",
    "IPv6 private": "[fd00:ec2::254]",
    "IPv6 site-local": "[fec0::1]",
    "IPv6 multicast": "[ff02::1]",
    "IPv4-mapped": "[::ffff:127.0.0.1]",
    "IPv4-mapped, private": "[::ffff:a00:1]",
    "IPv4-compatible": "[::127.0.0.1]",
    "NAT64": "[64:ff9b::7f00:1]",
    "6to4": "[2002:7f00:1::]",
    "Teredo": "[2001:0:7f00:1::]",
    "wide digits": "\uff11\uff12\uff17.0.0.1",
    "circled digits": "①②⑦.⓪.⓪.①",
}


@pytest.fixture(autouse=True)
def any_host_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The widest list that an operator can write opens no way into the machine."""
    monkeypatch.setenv("PSA_HTTP_ALLOW", "*")
    monkeypatch.delenv("PSA_HTTP_TOKEN", raising=False)


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: Any, **__: Any) -> None:
        pytest.fail("something was asked")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "create_connection", connect)


@pytest.fixture
def server() -> Iterator[Any]:
    """A model on this machine that remembers the headers it was asked with."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["texts"]
            self.server.asked.append(dict(self.headers.items()))  # type: ignore[attr-defined]
            body = json.dumps([0.5] * len(texts)).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=found.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()
    thread.join()


def resolver(*answers: list[str]) -> Callable[..., list[Any]]:
    """A name server: each question gets the next answer, the last one for ever."""
    left = list(answers)

    def getaddrinfo(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        numbers = left.pop(0) if len(left) > 1 else left[0]
        families = [socket.AF_INET6 if ":" in number else socket.AF_INET for number in numbers]
        return [(family, 1, 6, "", (number, port)) for family, number in zip(families, numbers, strict=True)]

    return getaddrinfo


@pytest.mark.usefixtures("no_connection")
@pytest.mark.parametrize("host", HERE.values(), ids=HERE.keys())
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_visitor_does_not_reach_this_machine(scheme: str, host: str) -> None:
    for origin in (Origin.VISITOR, Origin.FILE):
        with pytest.raises(PsaError):
            models.load(f"{scheme}://{host}:9/#retries=0", origin=origin)


@pytest.mark.usefixtures("no_connection")
@pytest.mark.parametrize(
    "numbers",
    [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["2606:2800:21f::1", "::1"], ["93.184.215.14", "::ffff:127.0.0.1"]],
)
def test_a_name_with_one_inner_address_is_not_asked(numbers: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolver(numbers))
    with pytest.raises(ModelError, match="an address of this machine or of its network"):
        models.load("http://models.example.org/#retries=0", origin=Origin.VISITOR)


def test_the_number_that_was_checked_is_the_one_that_is_asked(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    port = server.server_address[1]
    monkeypatch.setenv("PSA_HTTP_ALLOW", f"models.example.org:{port},127.0.0.1:{port}")
    # the second question would lead elsewhere: there is none between the check and the connection
    monkeypatch.setattr(socket, "getaddrinfo", _once_then_numbers_only(["127.0.0.1"]))
    scorer = models.load(f"http://models.example.org:{port}/#retries=0", origin=Origin.VISITOR)
    assert [headers["Host"] for headers in server.asked] == [f"models.example.org:{port}"]
    monkeypatch.setattr(socket, "getaddrinfo", resolver(["10.0.0.1"]))
    with pytest.raises(ModelError, match="of its network"):
        scorer.score(["x"])
    assert len(server.asked) == 1


def _once_then_numbers_only(numbers: list[str]) -> Callable[..., list[Any]]:
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        if host not in numbers:
            asked.append(host)
            assert len(asked) == 1, f"{host} was looked up twice"
        return resolver(numbers if host not in numbers else [host])(host, port)

    return getaddrinfo


def test_a_certificate_is_checked_for_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolver(["93.184.215.14", "2606:2800:21f::1"]))
    endpoint = Endpoint("https://models.example.org/score?a=1", origin=Origin.VISITOR)
    address, headers, extensions = endpoint._place()
    assert address == "https://93.184.215.14/score?a=1"
    assert headers == {"Host": "models.example.org"}
    assert extensions == {"sni_hostname": "models.example.org"}


@pytest.mark.parametrize(
    ("rules", "reached"),
    [
        ("127.0.0.1:{port}", True),
        ("127.0.0.0/8,*", True),
        ("localhost,*", True),
        ("localhost:1,*", False),
        ("10.0.0.0/8,*", False),
        ("127.0.0.1:1", False),
    ],
)
def test_an_operator_may_list_an_inner_number(
    rules: str, reached: bool, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = server.server_address[1]
    monkeypatch.setenv("PSA_HTTP_ALLOW", rules.format(port=port))
    if reached:
        models.load(f"http://127.0.0.1:{port}/#retries=0", origin=Origin.VISITOR)
    else:
        with pytest.raises(PsaError):
            models.load(f"http://127.0.0.1:{port}/#retries=0", origin=Origin.VISITOR)
    assert len(server.asked) == reached


def test_the_owner_of_a_machine_asks_it(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PSA_HTTP_ALLOW")
    models.load(f"http://127.0.0.1:{server.server_address[1]}/#retries=0", origin=Origin.OWN_MACHINE)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("rules", "goes"),
    [
        (None, False),
        ("*", False),
        ("*:443", False),
        ("*.org", False),
        ("models.*.org", False),
        ("other.example.org", False),
        ("models.example.org", True),
        ("models.example.org:443", True),
        ("*.example.org", True),
    ],
)
def test_the_token_goes_to_listed_hosts_only(rules: str | None, goes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HTTP_TOKEN", "s3cret")
    monkeypatch.delenv("PSA_HTTP_ALLOW")
    if rules is not None:
        monkeypatch.setenv("PSA_HTTP_ALLOW", rules)
    for origin in Origin:
        headers = Endpoint("https://models.example.org/", origin=origin)._headers()
        assert ("Authorization" in headers) == goes


@pytest.mark.parametrize("origin", Origin)
def test_the_token_goes_to_ones_own_machine_on_the_owners_word(origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HTTP_TOKEN", "s3cret")
    headers = Endpoint("http://127.0.0.1:8000/", origin=origin)._headers()
    assert ("Authorization" in headers) == (origin < Origin.VISITOR)


@pytest.mark.parametrize(
    "address",
    [
        "http://models.example.org\\@127.0.0.1/",
        "http://models.example.org:0/",
        "http://[::1/",
        "http://models.example.org\t.evil.org/",
        "http://\u2488.example/",
        "http://a b/",
        "file:///etc/passwd",
        "http:///127.0.0.1/",
        "//",
    ],
)
def test_what_two_parsers_read_apart_is_no_address(address: str) -> None:
    with pytest.raises(ModelError):
        addresses.allowed(address)


@pytest.mark.parametrize("number", ["93.184.215.14", "8.8.8.8", "2606:2800:21f::1", "::ffff:8.8.8.8", "2002:808:808::"])
def test_public_numbers_are_public(number: str) -> None:
    assert addresses.is_public(addresses.ip_address(number))


@pytest.mark.parametrize("number", ["192.0.0.192", "192.0.0.8", "64:ff9b:1::1", "3fff::1", "5f00::1", "2001:db8::1"])
def test_numbers_that_are_set_aside_are_not_public(number: str) -> None:
    assert not addresses.is_public(addresses.ip_address(number))
