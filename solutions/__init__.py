"""The reference, module for module the same names as `lessons`."""
