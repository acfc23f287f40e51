"""The Python SDK, in the era that the first argument names: `legacy` or `auto`."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters

SERVER = StdioServerParameters(
    command=os.environ["CHECKREIN_BIN"], args=["serve", "stdio", "--sandbox"]
)


def plain(model):
    """A model as the JSON that came over the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main():
    calls = json.load(sys.stdin)
    async with Client(SERVER, mode=sys.argv[1]) as client:
        tools = (await client.list_tools()).tools
        results = [await client.call_tool(call["name"], call["arguments"]) for call in calls]
        said = {
            "server": client.server_info.name,
            "tools": [plain(tool) for tool in tools],
            "results": [plain(result) for result in results],
            "asked": [],
        }
    print(json.dumps(said))


asyncio.run(main())
