"""Certificates that openssl makes: an authority's, and those that it signs."""

from __future__ import annotations

import ssl
import subprocess

import pytest


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A folder with an authority's certificate, a broker's for 127.0.0.1 that it signed, one whose days are over, and a
    stranger's."""
    folder = tmp_path_factory.mktemp("authority")

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    for name in ("ca", "stranger"):
        openssl("req", "-x509", *key, "-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={name}")
    openssl("req", *key[:-2], "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=broker")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    signed = ("-in", "broker.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names")
    openssl("x509", "-req", *signed, "-days", "2", "-out", "broker.crt")
    openssl("x509", "-req", *signed, "-days", "-1", "-out", "expired.crt")
    return folder


@pytest.fixture
def strict(monkeypatch):
    """Certificates are checked as strictly as Python 3.13 does by itself, and Debian 13 has it."""
    made = ssl.create_default_context

    def checked(**settings):
        context = made(**settings)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    monkeypatch.setattr(ssl, "create_default_context", checked)
