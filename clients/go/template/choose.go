package main

import (
	"context"
	"slices"
	"strings"

	"kozyr"
)

const ranks = "6789TJQKA"

// choose returns one of the turn's legal moves. It runs for several matches at a time.
func choose(_ context.Context, turn *kozyr.Turn) (string, error) {
	moves := turn.LegalMoves()
	if turn.Observation.Game != kozyr.GameIDDurak {
		return moves[0], nil
	}
	var durak kozyr.DurakObservation
	if err := turn.Observation.Decode(&durak); err != nil {
		return "", err
	}
	return slices.MinFunc(moves, func(a, b string) int { return cost(a, durak) - cost(b, durak) }), nil
}

// cost says how dear the cards of a move are: "attack 7H" is cheap, a move with a trump is dear.
// A move without cards, such as "take" or "pass", is the last resort.
func cost(move string, durak kozyr.DurakObservation) int {
	cards := strings.Fields(move)[1:]
	if len(cards) == 0 {
		return 100
	}
	sum := 0
	for _, card := range cards {
		sum += strings.Index(ranks, card[:1])
		if card[1:] == durak.Trump {
			sum += len(ranks)
		}
	}
	return sum
}
