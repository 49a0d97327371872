"""Each game a second time, by somebody who has never looked into `engine`.

Written from the rules' text alone, as simply as could be: cards are texts, hands are lists, a deal is a generator that
asks its questions one after the other. Nothing here is fast and nothing is shared with what it is held against but
the way that cards and moves are written. `compare` plays both side by side; where they differ, one of them has
misread the rules.
"""
