"""What runs inside the virtual machine besides what is installed there."""
