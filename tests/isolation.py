"""The suite sees nothing of the machine but its programs: signals, language, time, home and fonts are the tests' own.

Importing it sets the environment, before anything else is imported; what the tests start inherits it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from hypothesis import settings

from tests import inherited

inherited.replace()
_home = tempfile.mkdtemp(prefix="carrom-home-")
atexit.register(shutil.rmtree, _home, ignore_errors=True)

for name in [name for name in os.environ if name.startswith(("LC_", "XDG_"))]:
    del os.environ[name]
os.environ |= {
    "HOME": _home,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "FONTCONFIG_FILE": str(Path(__file__).with_name("fonts.conf")),
}
time.tzset()

# OpenCV and BLAS threads of two workers fight over two cores; one each is faster and repeatable.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Workers, and the programs that the tests start by the hundred, share what the first has compiled, outside the tree.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
sys.pycache_prefix = os.environ.setdefault("PYTHONPYCACHEPREFIX", f"{sys.prefix}/pycache")

# So do they what Hypothesis reads out of our modules, two seconds of each process: it is kept by the modules' contents.
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{sys.prefix}/hypothesis"

# The same examples on every run: a red run is a fault of the change.
settings.register_profile("repeatable", derandomize=True, database=None)
settings.load_profile("repeatable")
