"""The race of 19 October 2025, played on the sandbox: by a copy of that day's behaviour, and by the real enactors.

Needs the sandbox extra. Nothing of the product imports this package but the `enactor replay` command, so no way leads from
`run` or `once` to a protection taken out.
"""
