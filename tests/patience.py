"""How long a test waits for what must come: nothing takes so long unless it is broken, on the busiest machine."""

import os

PATIENCE_S = float(os.environ.get("CARROM_TEST_PATIENCE", "60"))
