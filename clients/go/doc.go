// Package kozyr is a client for Kozyr, a league server for bots that play Russian card games with
// hidden hands.
//
//	client, err := kozyr.New("http://127.0.0.1:8000", token)
//	if err != nil {
//		log.Fatal(err)
//	}
//	err = client.Play(ctx, func(ctx context.Context, turn *kozyr.Turn) (string, error) {
//		return turn.LegalMoves()[0], nil
//	}, nil)
//
// Play waits for turns, calls the function for each, sends the moves and retries what was lost. It
// plays all matches of the bot at once. A move is never lost and never made twice: the client
// repeats a request with the same turn numbers, and the service answers a move that it has made
// with its first result.
package kozyr
