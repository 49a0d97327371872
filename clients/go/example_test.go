package kozyr_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"kozyr"
)

// A bot that plays until Ctrl-C.
func ExampleClient_Play() {
	client, err := kozyr.New("http://127.0.0.1:8000", "kozyr_...")
	if err != nil {
		log.Fatal(err)
	}
	choose := func(ctx context.Context, turn *kozyr.Turn) (string, error) {
		// Leave half a second for the way to the service.
		ctx, cancel := context.WithTimeout(ctx, turn.TimeLeft()-500*time.Millisecond)
		defer cancel()
		return search(ctx, turn), nil
	}
	options := &kozyr.PlayOptions{Finish: kozyr.UntilInterrupted()}
	if err := client.Play(context.Background(), choose, options); err != nil {
		log.Fatal(err)
	}
}

// A match against a house bot.
func ExampleClient_CreateMatch() {
	client, err := kozyr.New("http://127.0.0.1:8000", "kozyr_...")
	if err != nil {
		log.Fatal(err)
	}
	bot, house := "example/first", "house/greedy"
	match, err := client.CreateMatch(context.Background(), kozyr.NewMatch{
		Game:  kozyr.GameIDDurak,
		Seats: []*string{&bot, &house},
	})
	var problem *kozyr.ProblemError
	if errors.As(err, &problem) && problem.Problem.Code == kozyr.ProblemCodeBotUnavailable {
		fmt.Println("no match:", problem.Problem.Detail)
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(match.ID)
}

func search(_ context.Context, turn *kozyr.Turn) string { return turn.LegalMoves()[0] }
