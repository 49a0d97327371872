"""Matches as tools of the Model Context Protocol, for language models (docs/agents.md).

`tools` needs a client of the API only. `stdio` serves the tools with the official SDK, and the server at `POST /mcp`.
"""
