// A bot on the code that oapi-codegen writes: it creates a match of every game, and plays them all.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"generated/kozyr"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pointer[T any](value T) *T { return &value }

func main() {
	ctx, bot, house := context.Background(), os.Getenv("KOZYR_BOT"), "house/random"
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KOZYR_TOKEN"))
		return nil
	}
	client, err := kozyr.NewClientWithResponses(os.Getenv("KOZYR_URL"), kozyr.WithRequestEditorFn(authorize))
	check(err)
	wishes := []kozyr.NewMatch{
		{Game: "durak", Seats: []*string{&bot, &house}, Options: &kozyr.Options{BatchAttacks: pointer(true)}, Deals: pointer(2)},
		{Game: "king", Seats: []*string{&bot, &house, &house, &house}},
		{Game: "kryt", Seats: []*string{&bot, &house}, Options: &kozyr.Options{Trumps: pointer("fixed")}},
		{Game: "svoi_kozyri", Seats: []*string{&bot, &house}, Options: &kozyr.Options{Trumps: pointer("SC")}},
	}
	for _, wish := range wishes {
		made, err := client.CreateMatchWithResponse(ctx, nil, wish)
		check(err)
		if made.JSON201 == nil {
			check(fmt.Errorf("%s: %s", made.Status(), made.Body))
		}
	}
	running, moves, since := len(wishes), []kozyr.MatchMove{}, (*string)(nil)
	for running > 0 {
		made, err := client.MakeMovesWithResponse(ctx, nil, kozyr.MoveBatch{Moves: &moves, Since: since, Wait: pointer(float32(20))})
		check(err)
		found := made.JSON200
		if found == nil {
			check(fmt.Errorf("%s: %s", made.Status(), made.Body))
		}
		for _, over := range found.Finished {
			running--
			fmt.Println(over.Match, over.Ending)
		}
		moves, since = nil, &found.Since
		for _, turn := range found.Turns {
			_, err := turn.Observation.ValueByDiscriminator()
			check(err)
			var seen struct {
				LegalMoves []string `json:"legal_moves"`
			}
			text, err := turn.Observation.MarshalJSON()
			check(err)
			check(json.Unmarshal(text, &seen))
			var move kozyr.MatchMove
			check(move.FromMatchTurnMove(kozyr.MatchTurnMove{Match: turn.Match, Turn: turn.Turn, Move: seen.LegalMoves[0]}))
			moves = append(moves, move)
		}
	}
}
