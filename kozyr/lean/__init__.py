"""Imports of large packages without what no process of the service uses.

Import a module of this package before everything that imports the package of the same name.
"""
