#!/usr/bin/env python3
"""Rounds for deferlab from the wheel `paretobandit` 0.1.1 (PyPI, Apache-2.0): 3,609 prompts, each with
the graded reward and the dollar cost of three language models.

    python3 examples/llm-routing/prepare.py paretobandit-0.1.1-py3-none-any.whl rounds.jsonl.gz

One JSON object a line, as `[stream.recorded]` reads it: the prompt as it is (deferlab hashes its words),
and rewards and prices by the name of the model.
"""

import gzip
import json
import sys
import zipfile

FILES = ["val.jsonl", "test_holdout.jsonl"]


def rounds(wheel):
    with zipfile.ZipFile(wheel) as archive:
        for name in FILES:
            text = archive.read(f"pareto_bandit/data/examples/{name}").decode()
            for line in filter(None, text.split("\n")):
                record = json.loads(line)
                arms = {model.split("/")[-1]: arm for model, arm in record["arms"].items()}
                yield {
                    "text": record["prompt"],
                    "rewards": {model: arm["reward"] for model, arm in arms.items()},
                    "prices": {model: arm["cost"] for model, arm in arms.items()},
                }


def main(wheel, out):
    # No file name and no time in the header: the same wheel gives the same bytes.
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as packed:
        count = 0
        for line in rounds(wheel):
            packed.write((json.dumps(line, ensure_ascii=False) + "\n").encode())
            count += 1
    print(f"{count} rounds in {out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
