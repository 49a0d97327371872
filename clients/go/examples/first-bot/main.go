// First-bot plays at random. KOZYR_URL names the service, KOZYR_TOKEN the bot.
package main

import (
	"context"
	"log"
	"math/rand/v2"
	"os/signal"
	"syscall"

	"kozyr"
)

func choose(_ context.Context, turn *kozyr.Turn) (string, error) {
	moves := turn.LegalMoves()
	return moves[rand.IntN(len(moves))], nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := kozyr.New("", "")
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Play(ctx, choose, nil); err != nil {
		log.Fatal(err)
	}
}
