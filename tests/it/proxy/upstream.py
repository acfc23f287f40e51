"""A small MCP server that keeps bookings in a file, so that the test knows the truth."""

import json
import os
import sys
import time

TOOLS = [
    {"name": "create_booking", "inputSchema": {"type": "object"}},
    {"name": "create_many", "inputSchema": {"type": "object"}},
    {"name": "create_later", "inputSchema": {"type": "object"}},
    {"name": "list_bookings", "inputSchema": {"type": "object"}},
]


def write(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def bookings():
    try:
        with open("bookings") as file:
            return [line.strip() for line in file]
    except FileNotFoundError:
        return []


def book(name):
    with open("bookings", "a") as file:
        file.write(name + "\n")


def call(name, arguments):
    if name == "create_booking":
        book(str(arguments.get("who")))
        return {"content": [{"type": "text", "text": "booked"}]}
    if name == "create_many":
        for who in arguments["items"]:
            book(who)
        return {"content": [{"type": "text", "text": "booked all"}]}
    if name == "create_later":
        book(str(arguments.get("who")))
        return {"task": {"taskId": "task-1", "status": "working"}}
    if name == "list_bookings":
        return {"content": [{"type": "text", "text": json.dumps(bookings())}]}
    raise KeyError(name)


with open("starts", "a") as file:
    file.write("%d\n" % os.getpid())
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "notifications/cancelled":
        with open("cancels", "a") as file:
            file.write(line)
    if "id" not in message:
        continue
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        info = {"name": "bookings", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tasks/get":
        result = {"taskId": params["taskId"], "status": "completed"}
    elif method == "tools/call":
        time.sleep(float((params.get("arguments") or {}).get("takes", 0)))
        try:
            result = call(params["name"], params.get("arguments") or {})
        except KeyError:
            error = {"code": -32602, "message": "Unknown tool"}
            write({"id": message["id"], "error": error})
            continue
    else:
        result = {}
    write({"id": message["id"], "result": result})
