"""Write the types of the clients in `clients/` from openapi.yaml: python tools/client_types.py [--check]

Each client holds one generated file of types. The loops are written by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import yaml
from client_languages.go import go
from client_languages.schema import Schema
from client_languages.typescript import typescript

ROOT: Final = Path(__file__).resolve().parents[1]
FILES: Final[Mapping[str, Callable[[Mapping[str, Schema]], str]]] = {
    "clients/typescript/src/types.ts": typescript,
    "clients/go/types.go": go,
}


def main() -> int:
    """Write the files, or with --check name those that are out of date. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is out of date")
    check = parser.parse_args().check
    schemas = yaml.safe_load((ROOT / "openapi.yaml").read_text(encoding="utf-8"))["components"]["schemas"]
    outdated = []
    for name, write in FILES.items():
        path, text = ROOT / name, write(schemas)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            outdated.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
                print(f"wrote {name}")
    if check and outdated:
        print(f"out of date, run python tools/client_types.py: {', '.join(outdated)}", file=sys.stderr)
    return int(check and bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
