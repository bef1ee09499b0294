"""Runs ``python -m jig_workbench`` like the ``jig`` command."""

from jig_workbench import main

if __name__ == "__main__":
    main()
