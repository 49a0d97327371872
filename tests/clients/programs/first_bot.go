// First-bot plays at random. KOZYR_URL names the service, KOZYR_TOKEN the bot.
package main

import (
	"context"
	"log"
	"math/rand/v2"

	"kozyr"
)

func choose(_ context.Context, turn *kozyr.Turn) (string, error) {
	moves := turn.LegalMoves()
	return moves[rand.IntN(len(moves))], nil
}

func main() {
	client, err := kozyr.New("", "")
	if err != nil {
		log.Fatal(err)
	}
	// The first Ctrl-C finishes the running matches, the second one ends the bot.
	options := &kozyr.PlayOptions{Finish: kozyr.UntilInterrupted()}
	if err := client.Play(context.Background(), choose, options); err != nil {
		log.Fatal(err)
	}
}
