"""Apply numbered plans to Amazon Route 53 so that no endpoint can go empty, go backwards or get stuck."""

__version__ = "0.1.0"
