"""The first lines that run inside: find the few packages that are there, load them, and serve.

Called as `boot.py LEVEL KIND DESCRIPTOR FOLDER...`: the kind is torch or text, the folders become the path.
"""

import site
import socket
import sys


def main(level: str, kind: str, descriptor: str, *folders: str) -> None:
    """Set the path and start the zygote."""
    sys.path[:] = [
        entry for entry in sys.path if "site-packages" not in entry and "dist-packages" not in entry
    ]
    sys.path += folders
    for add in (site.setquit, site.setcopyright, site.sethelper):
        add()
    from checks.sandbox import zygote

    zygote.load(torch=kind == "torch")
    zygote.run(socket.socket(fileno=int(descriptor)), level, folders[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
