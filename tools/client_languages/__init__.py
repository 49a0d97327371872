"""The generators of the types of the clients, a module a language."""
