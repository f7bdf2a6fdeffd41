"""The board's geometry and the camera above it: pixels to millimetres and back.

Arrays in, camera model and residuals out. Must not know cameras, files of the controller, or carrom's rules.
"""
