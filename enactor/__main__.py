"""`python -m enactor` is the command `enactor`."""

from enactor.cli.main import main

if __name__ == "__main__":
    main()
