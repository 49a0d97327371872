// A bot for Kozyr. KOZYR_URL names the service, KOZYR_TOKEN the bot.
package main

import (
	"context"
	"log"
	"os/signal"
	"syscall"

	"kozyr"
)

func main() {
	// Ctrl-C stops the bot after its last moves are sent.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := kozyr.New("", "")
	if err != nil {
		log.Fatal(err)
	}
	options := &kozyr.PlayOptions{
		FirstLegal: true, // Play on after a move that is not legal, and log it.
		OnFinished: func(match kozyr.FinishedMatch) {
			log.Printf("match %s: place %d, scores %v (%s)",
				match.Match, match.Places[match.Seat], match.Scores, match.Ending)
		},
	}
	if err := client.Play(ctx, choose, options); err != nil {
		log.Fatal(err)
	}
}
