"""Turns, rules and moves in words, for players that read text: language models and people at a terminal.

All functions are pure. They read only what a seat may see: its turn, its events and the table.
"""
