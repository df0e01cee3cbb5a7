"""`python -m enactor` is the command `enactor`."""

from enactor.cli.entry import enactor

if __name__ == "__main__":
    enactor()
