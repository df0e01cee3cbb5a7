"""Targets for the benchmark of the probe, in a process of their own: every address of 127.0.0.0/8 on one port.

Those of 127.1.0.0/16 answer 200, those of 127.2.0.0/16 accept and never answer.
"""

import asyncio
import multiprocessing
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAME = "target.example.com"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n"
BACKLOG = 4_096
HEALTHY = "127.1"
HANGING = "127.2"


def certificate(folder: Path, name: str = NAME) -> Path:
    """Write a self-signed certificate with its key, and return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "target.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def serving(pem: Path | None) -> Iterator[int]:
    """Serve in another process, over TLS where a certificate is given; yield the port."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, pem), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.terminate()
        process.join()


def _serve(told: Connection, pem: Path | None) -> None:
    asyncio.run(_serving(told, pem))


async def _serving(told: Connection, pem: Path | None) -> None:
    bound = socket.create_server(("0.0.0.0", 0), backlog=BACKLOG)
    tls = None
    if pem is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(pem)
    server = await asyncio.get_running_loop().create_server(_Target, sock=bound, ssl=tls, backlog=BACKLOG)
    told.send(bound.getsockname()[1])
    await server.serve_forever()


class _Target(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        del data
        if self._transport.get_extra_info("sockname")[0].startswith(HEALTHY):
            self._transport.write(ANSWER)
            self._transport.close()
