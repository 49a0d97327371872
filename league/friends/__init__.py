"""Tables to which a link invites friends."""
