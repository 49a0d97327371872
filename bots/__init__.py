"""What a bot author imports and reads: the client, the house bots, the examples."""
