"""Turn a fleet of load balancers into numbered, immutable plans."""
