"""Every property of the suite draws the same examples each time and has no deadline: a busy machine is no reason to fail."""

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")
