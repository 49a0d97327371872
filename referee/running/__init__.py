"""Running matches: start, moves, timeouts, house bots and endings, each as a step that the store commits whole."""
