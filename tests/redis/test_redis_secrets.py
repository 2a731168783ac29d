"""A Redis with a password and TLS, and where the password is not to be found afterwards."""

import datetime as dt
import ipaddress
import json
from urllib.parse import quote

import pytest
import redis
from crawling import Crawl
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from redis_server import RedisServer
from tls_front import TlsFront

PASSWORD = "Ge/heim:w@rt?#"
PIPELINES = {"mediacrawl.pipelines.MojibakePipeline": 200, "mediacrawl.pipelines.RedisItemsPipeline": 400}
SHORT = ("-a", "scope=site", "-s", f"ITEM_PIPELINES={json.dumps(PIPELINES)}")


@pytest.fixture
def guarded(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("guarded"), "--requirepass", PASSWORD).start()
    yield server
    server.stop()


@pytest.fixture
def quiet(web, tmp_path):
    """A crawl that is told of its Redis by the test."""
    with Crawl(web, tmp_path) as crawl:
        yield crawl


def with_password(server, password=PASSWORD):
    return server.url.replace("://", f"://:{quote(password, safe='')}@")


def written(crawl):
    """All that the crawl wrote: log, output, state."""
    return {path.name: path.read_bytes() for path in crawl.folder.rglob("*") if path.is_file()}


def check_secrecy(crawl):
    found = written(crawl)
    assert crawl.log.name in found
    secrets = [
        PASSWORD,
        quote(PASSWORD),
        quote(PASSWORD, safe=""),
        *(part for part in PASSWORD.split("/") if len(part) > 4),
        json.dumps(PASSWORD),
    ]
    for name, content in found.items():
        assert not [secret for secret in secrets if secret.encode() in content], name


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_the_password_is_in_nothing_that_a_crawl_writes(quiet, guarded, monkeypatch, store):
    monkeypatch.setenv("REDIS_URL", with_password(guarded))
    client = redis.Redis.from_url(with_password(guarded))
    client.rpush("media:start_urls", f"{quiet.web.seeds[0]}fed", "https://elsewhere.example/", b"\xff")
    quiet.start(
        *SHORT, "-o", "items.jl", "-s", f"SCHEDULER_STORE={store}", "-s", "LOG_LEVEL=DEBUG", seed=quiet.web.seeds[0]
    )
    assert quiet.wait() == 0
    assert "redis://***@127.0.0.1" in quiet.text()
    assert client.llen("media:items") >= 1
    check_secrecy(quiet)
    everything = [client.dump(key) for key in client.keys("*")]
    assert not [dump for dump in everything if PASSWORD.encode() in dump]
    client.close()


def test_nor_when_it_stands_in_the_settings_of_the_command_line_or_is_wrong(quiet, guarded):
    wrong = with_password(guarded, PASSWORD + "x")
    quiet.start(*SHORT, "-s", f"REDIS_URL={wrong}", "-s", "LOG_LEVEL=DEBUG", seed=quiet.web.seeds[0])
    quiet.until(lambda log: "AuthenticationError" in quiet.text())
    quiet.interrupt()
    check_secrecy(quiet)


@pytest.fixture
def behind_tls(tmp_path_factory):
    """The URL of a server that is asked by TLS, with a certificate of its own making, and that certificate."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = make_certificate(folder)
    server = RedisServer(folder).start()
    with TlsFront(server.port, certificate, key) as front:
        yield f"rediss://127.0.0.1:{front.port}/0", certificate
    server.stop()


def make_certificate(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    paths[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))
    return paths


@pytest.mark.slow
def test_a_crawl_speaks_tls_with_a_server_that_it_trusts(quiet, behind_tls, monkeypatch):
    url, certificate = behind_tls
    monkeypatch.setenv("REDIS_URL", f"{url}?ssl_ca_certs={certificate}")
    quiet.start(*SHORT, seed=quiet.web.seeds[0])
    assert quiet.wait() == 0
    with redis.Redis.from_url(url, ssl_ca_certs=str(certificate)) as client:
        assert client.llen("media:items") >= 1
