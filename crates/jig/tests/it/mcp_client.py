"""Speaks MCP to `jig mcp` with the official Python client: python mcp_client.py JIG HOME"""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def field(value, *names):
    """A member by any of its names: the client's versions differ in how they write them."""
    for name in names:
        if hasattr(value, name):
            return getattr(value, name)
    raise AttributeError(f"{value!r} has none of {names}")


async def main(jig: str, home: str) -> None:
    server = StdioServerParameters(command=jig, args=["mcp", "--home", home, "--workbench", "deck"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        greeting = await session.initialize()
        assert field(greeting, "server_info", "serverInfo").name == "jig", greeting

        tools = (await session.list_tools()).tools
        names = [tool.name for tool in tools]
        assert names == sorted(names) and "read_file" in names, names

        result = await session.call_tool("read_file", {"path": "notes.txt"})
        assert not field(result, "is_error", "isError"), result
        assert field(result, "structured_content", "structuredContent")["lines"]["total"] == 2, result

        failure = await session.call_tool("read_file", {"path": "none.txt"})
        assert field(failure, "is_error", "isError"), failure
        assert "FILE_NOT_FOUND" in failure.content[0].text, failure

        resources = (await session.list_resources()).resources
        uri = next(resource.uri for resource in resources if str(resource.uri).endswith("/notes.txt"))
        contents = (await session.read_resource(uri)).contents
        assert contents[0].text == "one\ntwo\n", contents
    print("all is well")


asyncio.run(main(*sys.argv[1:]))
