"""A server that sends bytes as a test has written them, plain or by TLS."""

import contextlib
import datetime as dt
import socket
import ssl
import struct
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

NAME = "tls.example"


def certificate_in(folder, *names, days=(-1, 1)):
    """A file with a self-signed ECDSA certificate for these names, valid in these days from now, and its key."""
    names = names or (NAME,)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
    now = dt.datetime.now(dt.UTC)
    made = x509.CertificateBuilder(subject, subject, key.public_key(), 1, *(now + dt.timedelta(day) for day in days))
    alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    signed = made.add_extension(alternatives, critical=False).sign(key, hashes.SHA256())
    path = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


@contextlib.contextmanager
def unaccepting():
    """A port of loopback that accepts no connection: its queue takes one, and nobody accepts."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as full,
        socket.socket() as first,
        socket.socket() as second,
    ):
        port = full.getsockname()[1]
        first.connect(("127.0.0.1", port))
        second.setblocking(False)
        second.connect_ex(("127.0.0.1", port))
        yield port


class ScriptedServer:
    """Reads a request head from each connection, and sends what the script says.

    Args:
        script: parts that are sent for each request one after the other: bytes, seconds to wait, or ``"reset"``. Or a
            function of the request's bytes that answers them. The connection is closed after them, if the last is not
            ``"keep"``.
        certificate: a file from `certificate_in`; None for plain HTTP.
        address: to listen on.
        body_bytes: bytes of the body of each request.

    Attributes:
        requests: the bytes of all requests.
        resumed: for each TLS connection, whether it resumed a session.
        names: for each TLS connection, the name that the client asked for.
        clients: the number of connections.
    """

    def __init__(self, *script, certificate=None, address="127.0.0.1", body_bytes=0):
        self.script = script[0] if callable(script[0]) else lambda _: script
        self.requests, self.resumed, self.names = [], [], []
        self.clients = 0
        self._body_bytes = body_bytes
        self._tls = None
        if certificate is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate)
            self._tls.sni_callback = lambda _, name, __: self.names.append(name)
        self._socket = socket.create_server((address, 0))
        self.port = self._socket.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._socket.close()

    def _serve(self):
        while True:
            try:
                opened, _ = self._socket.accept()
            except OSError:
                return
            self.clients += 1
            threading.Thread(target=self._talk, args=(opened,), daemon=True).start()

    def _talk(self, opened):
        with opened, contextlib.suppress(OSError), self._encrypted(opened) as talking:
            if self._answer(talking):
                # Over TLS without the message that ends it, as many servers do it.
                with socket.socket(fileno=talking.detach()) as plain:
                    plain.shutdown(socket.SHUT_WR)
                    plain.settimeout(5)
                    while plain.recv(65536):
                        pass

    def _encrypted(self, opened):
        if self._tls is None:
            return opened
        talking = self._tls.wrap_socket(opened, server_side=True, do_handshake_on_connect=False)
        with contextlib.ExitStack() as failed:
            failed.enter_context(talking)
            talking.do_handshake()
            failed.pop_all()
        self.resumed.append(talking.session_reused)
        return talking

    def _answer(self, opened):
        """Answer requests; False if the client closed the connection."""
        while True:
            request = b""
            while b"\r\n\r\n" not in request or len(request.partition(b"\r\n\r\n")[2]) < self._body_bytes:
                data = opened.recv(65536)
                if not data:
                    return False
                request += data
            self.requests.append(request)
            if not self._play(opened, self.script(request)):
                return True

    def _play(self, opened, script):
        """Send the parts; whether the connection stays."""
        for part in script:
            if part == "keep":
                return True
            if part == "reset":
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raise OSError
            if isinstance(part, bytes):
                opened.sendall(part)
            else:
                threading.Event().wait(part)
        return False
