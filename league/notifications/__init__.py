"""Webhooks: owners' addresses, events, messages and their delivery."""
