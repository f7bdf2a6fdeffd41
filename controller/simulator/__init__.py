"""A physical board with players, a camera and a pocket node that are not there; it knows the truth. Never imports how the eyes see."""
