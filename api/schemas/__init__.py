"""What goes over the wire: marshmallow schemas of what is asked, JSON Schemas (`COMPONENTS`) of what is answered.

Answers are built by one function each, mostly in the referee (`referee.match.views`), and encoded once; so their
schemas describe instead of transforming, and the tests hold real answers to them.
"""
