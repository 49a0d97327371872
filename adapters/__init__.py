"""The games as environments for OpenSpiel and PettingZoo. Within the project it imports only the engine.

The two modules need their extras, `kozyr[openspiel]` and `kozyr[pettingzoo]`. The shared modules need only NumPy.
"""
