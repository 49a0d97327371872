"""A second implementation of each game, written without knowledge of `engine`.

It follows the text of the rules as simply as possible: cards are texts, hands are lists, and a deal is a generator
that yields one question after another. It is not fast, and shares with the engine only the notation of cards and
moves. `compare` plays both side by side. A difference means that one of them misreads the rules.
"""
