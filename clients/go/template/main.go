// A bot for Kozyr. KOZYR_URL names the service, KOZYR_TOKEN the bot.
package main

import (
	"context"
	"log"

	"kozyr"
)

func main() {
	client, err := kozyr.New("", "")
	if err != nil {
		log.Fatal(err)
	}
	options := &kozyr.PlayOptions{
		Finish:     kozyr.UntilInterrupted(), // Finish the running matches at the first Ctrl-C, end at the second.
		FirstLegal: true,                     // Play on after a move that is not legal, and log it.
		OnFinished: func(match kozyr.FinishedMatch) {
			log.Printf("match %s: place %d, scores %v (%s)",
				match.Match, match.Places[match.Seat], match.Scores, match.Ending)
		},
	}
	if err := client.Play(context.Background(), choose, options); err != nil {
		log.Fatal(err)
	}
}
