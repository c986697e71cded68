"""``python -m spaseq``."""

from spaseq.cli.console import console

if __name__ == "__main__":
    console("python -m spaseq")
