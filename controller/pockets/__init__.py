"""The pocket node's protocol, its clock, and the ports it hangs on. Knows no colours of pieces and no journal."""
