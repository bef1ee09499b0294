"""A small MCP server of the official Python SDK, with tools that behave and tools that do not.

`server.py stdio [FILE]` speaks over standard input and output; `server.py http PORT_FILE` over HTTP on a free port, and
writes the port there. Calls of `add` are counted in FILE, so that a test can see what was really asked.
"""

import os
import socket
import sys
import time

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("test")
counted = sys.argv[2] if len(sys.argv) > 2 and sys.argv[1] == "stdio" else None


@server.tool()
def add(a: int, b: int) -> str:
    """Add two numbers"""
    if counted:
        with open(counted, "a") as file:
            file.write(f"{a}+{b}\n")
    return f"the sum is {a + b}"


@server.tool()
def fails() -> str:
    """Always fails"""
    raise ToolError("the disk is full")


@server.tool()
def sleeps() -> str:
    """Takes its time"""
    time.sleep(60)
    return "late"


@server.tool()
def large(size: int) -> str:
    """So many letters"""
    return "x" * size


@server.tool()
def dies() -> str:
    """Ends the server"""
    print("out of memory, good bye", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
def environment() -> str:
    """The names of the variables"""
    return " ".join(sorted(os.environ))


@server.tool()
def drops(name: str) -> str:
    """Takes a tool away"""
    server.remove_tool(name)
    return "gone"


if sys.argv[1] == "stdio":
    server.run()
elif sys.argv[1] == "noise":
    # Never a line's end, never a message.
    while True:
        sys.stdout.write("x" * 65536)
        sys.stdout.flush()
elif sys.argv[1] == "silent":
    time.sleep(600)
elif sys.argv[1] == "other":
    # The same name with another input.
    server.remove_tool("add")

    @server.tool(name="add")
    def other(left: str, right: str) -> str:
        """Add two numbers"""
        return left + right

    server.run()
else:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with open(sys.argv[2] + ".part", "w") as file:
        file.write(str(port))
    os.rename(sys.argv[2] + ".part", sys.argv[2])
    server.run("streamable-http", host="127.0.0.1", port=port, json_response=len(sys.argv) > 3)
