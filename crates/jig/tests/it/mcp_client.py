"""Speaks MCP to Jig with the official Python client, in both versions and over both transports.

python mcp_client.py JIG HOME URL
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters, types

SLOW = "SELECT count(*) FROM data a, data b, data c WHERE (a.n + b.n * c.n) % 7 = 3"


async def run(target, mode: str, name: str) -> None:
    questions = []

    async def ask(_context, params):
        questions.append(params.message)
        return types.ElicitResult(action="accept", content={"publish": True})

    async with Client(target, mode=mode, elicitation_callback=ask) as client:
        # A client that is told which version to speak need not ask who it speaks to.
        assert client.server_info is None or client.server_info.name == "jig", client.server_info
        tools = (await client.list_tools()).tools
        names = [tool.name for tool in tools]
        assert names == sorted(names) and "read_file" in names, names

        result = await client.call_tool("read_file", {"path": "notes.txt"})
        assert not result.is_error, result
        assert result.structured_content["text"], result
        failure = await client.call_tool("read_file", {"path": "none.txt"})
        assert failure.is_error and "FILE_NOT_FOUND" in failure.content[0].text, failure

        resources = (await client.list_resources()).resources
        uri = next(resource.uri for resource in resources if str(resource.uri).endswith("/notes.txt"))
        contents = (await client.read_resource(str(uri))).contents
        assert contents[0].text == "one\ntwo\n", contents

        reference = types.ResourceTemplateReference(type="ref/resource", uri="jig://{workbench}/published/{path}")
        completed = await client.complete(reference, {"name": "path", "value": "no"})
        assert completed.completion.values == ["notes.txt"], completed
        prompt = await client.get_prompt("pack-direct", {"message": "Sum up notes.txt"})
        assert "Sum up" in prompt.messages[-1].content.text, prompt

        told = asyncio.Event()

        async def progress(done, total, message):
            told.set()

        slow = asyncio.create_task(
            client.call_tool("table_query", {"path": "numbers.csv", "query": SLOW}, progress_callback=progress)
        )
        await asyncio.wait_for(told.wait(), 20)
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)
        soon = client.call_tool("table_query", {"path": "numbers.csv", "query": "SELECT 1 AS one"})
        assert not (await asyncio.wait_for(soon, 20)).is_error

        await client.call_tool("write_text_file", {"path": name, "text": "new\n"})
        published = await client.call_tool("publish_draft", {})
        assert not published.is_error and published.structured_content["added"] == [name], published
        assert len(questions) == 1 and "1 added" in questions[0], questions


async def main(jig: str, home: str, url: str) -> None:
    server = StdioServerParameters(command=jig, args=["mcp", "--home", home, "--workbench", "deck"])
    for mode in ["legacy", "2026-07-28"]:
        await run(server, mode, f"stdio-{mode}.txt")
        await run(f"{url}?workbench=deck", mode, f"http-{mode}.txt")
    print("all is well")


asyncio.run(main(*sys.argv[1:]))
