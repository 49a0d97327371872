"""A new round: which bots play, and whom they meet.

arena       the bots that are free where rounds overlap
brackets    the bracket of a knock-out
opener      the new round and its pairing
"""
