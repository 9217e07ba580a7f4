#!/usr/bin/env python3
# A function in Python that reads and writes the data: how many nodes there are whose label begins so, noted as an object.
import json, sys


def ask(call, method, target, content=None):
    question = {"method": method, "target": target}
    if content is not None:
        question["content"] = content
    print(json.dumps({"call": call["call"], "question": question}), flush=True)
    reply = json.loads(sys.stdin.readline())["reply"]
    if "failure" in reply:
        raise RuntimeError(reply["failure"]["message"])
    if reply["status"] >= 400:
        raise RuntimeError(reply["content"]["code"])
    return reply


for line in sys.stdin:
    call = json.loads(line)
    try:
        prefix, identifier = call["arguments"]
        count, target = 0, f"/v1/collections/Node?filter=label%20BEGINSWITH%20$0&args=%5B%22{prefix}%22%5D&limit=2"
        while target is not None:
            page = ask(call, "GET", target)
            count, target = count + len(page["content"]), page.get("next")
        ask(call, "POST", "/v1/collections/Node", {"_id": identifier, "label": f"{count} of {prefix}"})
        answer = {"result": count}
    except (RuntimeError, ValueError) as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
