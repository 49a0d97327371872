// Seeker looks for opponents at Durak, plays two matches at random, and ends.
package main

import (
	"context"
	"log"
	"math/rand/v2"

	"kozyr"
)

func main() {
	client, err := kozyr.New("", "")
	if err != nil {
		log.Fatal(err)
	}
	choose := func(_ context.Context, turn *kozyr.Turn) (string, error) {
		moves := turn.LegalMoves()
		return moves[rand.IntN(len(moves))], nil
	}
	options := &kozyr.PlayOptions{Matches: 2, Find: &kozyr.JoinQueue{Game: kozyr.GameIDDurak}}
	if err := client.Play(context.Background(), choose, options); err != nil {
		log.Fatal(err)
	}
}
