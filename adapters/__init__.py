"""The games for other people's learners: OpenSpiel and PettingZoo. Imports the engine and nothing else of ours.

Each of the two modules needs its extra (`kozyr[openspiel]`, `kozyr[pettingzoo]`); what they share needs NumPy alone.
"""
