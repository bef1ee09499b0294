"""Finds and runs the ``jig`` executable that this distribution installs."""

import os
import subprocess
import sys
import sysconfig


def find_jig():
    """Return the path of the ``jig`` executable."""
    name = "jig" + (sysconfig.get_config_var("EXE") or "")
    scheme = sysconfig.get_preferred_scheme("user") if hasattr(sysconfig, "get_preferred_scheme") else "posix_user"
    package = os.path.dirname(os.path.abspath(__file__))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=scheme),
        # `pip install --target DIR` puts executables into DIR/bin, next to the package.
        os.path.join(os.path.dirname(package), "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError("jig executable not found in " + ", ".join(folders))


def main():
    """Run ``jig`` with the arguments of this process."""
    try:
        jig = find_jig()
    except FileNotFoundError as error:
        sys.exit(f"error: {error}; reinstall jig-workbench")
    arguments = [jig, *sys.argv[1:]]
    if sys.platform == "win32":
        sys.exit(subprocess.run(arguments).returncode)
    os.execv(jig, arguments)
