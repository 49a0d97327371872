// A bot on the code that ogen writes: it creates a match of every game, and plays them all.
package main

import (
	"context"
	"fmt"
	"os"

	"generated/kozyr"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type bearer struct{}

func (bearer) Bearer(context.Context, kozyr.OperationName) (kozyr.Bearer, error) {
	return kozyr.Bearer{Token: os.Getenv("KOZYR_TOKEN")}, nil
}

func seats(names ...string) []kozyr.NilString {
	var made []kozyr.NilString
	for _, name := range names {
		made = append(made, kozyr.NewNilString(name))
	}
	return made
}

func legalMoves(seen kozyr.Observation) []string {
	switch seen.Type {
	case kozyr.DurakObservationObservation:
		return seen.DurakObservation.LegalMoves
	case kozyr.KingObservationObservation:
		return seen.KingObservation.LegalMoves
	case kozyr.KrytObservationObservation:
		return seen.KrytObservation.LegalMoves
	default:
		return seen.SvoiKozyriObservation.LegalMoves
	}
}

func main() {
	ctx, bot, house := context.Background(), os.Getenv("KOZYR_BOT"), "house/random"
	client, err := kozyr.NewClient(os.Getenv("KOZYR_URL"), bearer{})
	check(err)
	options := func(options kozyr.Options) kozyr.OptOptions { return kozyr.NewOptOptions(options) }
	wishes := []kozyr.NewMatch{
		{Game: "durak", Seats: seats(bot, house), Deals: kozyr.NewOptNilInt(2),
			Options: options(kozyr.Options{BatchAttacks: kozyr.NewOptBool(true)})},
		{Game: "king", Seats: seats(bot, house, house, house)},
		{Game: "kryt", Seats: seats(bot, house), Options: options(kozyr.Options{Trumps: kozyr.NewOptString("fixed")})},
		{Game: "svoi_kozyri", Seats: seats(bot, house), Options: options(kozyr.Options{Trumps: kozyr.NewOptString("SC")})},
	}
	for _, wish := range wishes {
		made, err := client.CreateMatch(ctx, &wish, kozyr.CreateMatchParams{})
		check(err)
		if _, ok := made.(*kozyr.MatchHeaders); !ok {
			check(fmt.Errorf("%+v", made))
		}
	}
	running, batch := len(wishes), kozyr.MoveBatch{Wait: kozyr.NewOptFloat64(20)}
	for running > 0 {
		made, err := client.MakeMoves(ctx, &batch, kozyr.MakeMovesParams{})
		check(err)
		found, ok := made.(*kozyr.MoveResultsHeaders)
		if !ok {
			check(fmt.Errorf("%+v", made))
		}
		for _, over := range found.Response.Finished {
			running--
			fmt.Println(over.Match, over.Ending)
		}
		batch.Moves, batch.Since = nil, kozyr.NewOptNilString(found.Response.Since)
		for _, turn := range found.Response.Turns {
			move := kozyr.MatchTurnMove{Match: turn.Match, Turn: turn.Turn, Move: legalMoves(turn.Observation)[0]}
			batch.Moves = append(batch.Moves, kozyr.NewMatchTurnMoveMatchMove(move))
		}
	}
}
