"""How long a test waits for what must come: nothing takes so long unless it is broken, on the busiest machine.

`CARROM_TEST_PATIENCE`, in seconds, shortens it for tests of the suite itself."""

import os

PATIENCE_S = float(os.environ.get("CARROM_TEST_PATIENCE", "60"))
