"""The page of a match: its text and its card table, in two languages. The site serves it, `kozyr view` writes it."""
