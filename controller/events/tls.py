"""How the certificate of whom we connect to is checked, the same for a broker and a camera."""

from __future__ import annotations

import ssl
from pathlib import Path


def client_context(ca_file: Path | None = None) -> ssl.SSLContext:
    """Returns a context that checks a certificate by its authority and for its name.

    `ca_file`: the authority's certificate (PEM); the system's authorities if left out. Raises OSError or ValueError for
    a file that is none.
    """
    context = ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    # Python 3.13 wants an authority to say what its key is for; `openssl req -x509` makes none that does, and a table
    # whose Debian is upgraded must not lose its broker or its camera.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context
