"""``python -m unpretty``."""

from unpretty.cli.main import main

main()
