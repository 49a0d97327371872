package kozyr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func quiet(Warning, string) {}

func client(t *testing.T, url string) *Client {
	t.Helper()
	made, err := New(url, "kozyr_fixture")
	if err != nil {
		t.Fatal(err)
	}
	made.Warn = quiet
	return made
}

func TestTheClientFollowsEachFixture(t *testing.T) {
	for _, file := range fixtureFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			follow(t, load(t, name))
		})
	}
}

func follow(t *testing.T, fixture *fixture) {
	replayer := newReplayer(t, fixture)
	var mu sync.Mutex
	var chosen []string
	var finished []string
	warnings := map[Warning]bool{}
	finish := make(chan struct{})
	client := client(t, replayer.URL)
	client.Warn = func(kind Warning, _ string) { warnings[kind] = true }
	chooser := func(ctx context.Context, turn *Turn) (string, error) {
		key := turn.Match + "/" + strconv.Itoa(turn.Number)
		choice, ok := fixture.Choices[key]
		if !ok {
			return "", errors.New("the fixture has no choice for " + key)
		}
		mu.Lock()
		chosen = append(chosen, key)
		mu.Unlock()
		if choice.Finish {
			close(finish)
		}
		time.Sleep(time.Duration(choice.DelayMs) * time.Millisecond)
		return choice.Move, nil
	}
	loop := newLoop(client, chooser, PlayOptions{
		Matches:    fixture.Play.Matches,
		Find:       fixture.Play.Find,
		Finish:     finish,
		FirstLegal: fixture.Play.OnIllegal == "first",
		OnFinished: func(match FinishedMatch) { finished = append(finished, match.Match) },
	})
	// The dialogue must not depend on the speed of the machine.
	loop.gather, loop.poll = 5*time.Second, 5*time.Second
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := loop.run(ctx)

	replayer.check(t)
	var problem *ProblemError
	switch wanted := fixture.Expect.Error; {
	case wanted == nil && err != nil:
		t.Error(err)
	case wanted != nil && !errors.As(err, &problem):
		t.Errorf("got %v, expected %v", err, wanted)
	case wanted != nil && (problem.Status != wanted.Status || problem.Problem.Code != wanted.Code):
		t.Errorf("got %v, expected %v", problem, wanted)
	}
	if !slices.Equal(finished, fixture.Expect.Finished) {
		t.Errorf("finished: got %v, expected %v", finished, fixture.Expect.Finished)
	}
	slices.Sort(chosen)
	if expected := slices.Sorted(maps.Keys(fixture.Choices)); !slices.Equal(chosen, expected) {
		t.Errorf("chosen: got %v, expected %v", chosen, expected)
	}
	if warnings[WarningLate] {
		warnings[WarningNearDeadline] = true // On a slow machine both moves are late.
	}
	for _, kind := range fixture.Expect.Warnings {
		if !warnings[kind] {
			t.Errorf("no warning of kind %s", kind)
		}
	}
}

func TestAnIllegalMoveEndsPlay(t *testing.T) {
	replayer := newReplayer(t, load(t, "illegal_move"))
	chooser := func(context.Context, *Turn) (string, error) { return "nonsense", nil }
	err := client(t, replayer.URL).Play(context.Background(), chooser, nil)
	var illegal *IllegalMoveError
	if !errors.As(err, &illegal) || illegal.Move != "nonsense" || len(illegal.LegalMoves) == 0 {
		t.Errorf("got %v", err)
	}
}

func TestAnErrorOfTheChooserEndsPlay(t *testing.T) {
	replayer := newReplayer(t, load(t, "normal_play"))
	wrong := errors.New("a bug in the bot")
	chooser := func(context.Context, *Turn) (string, error) { return "", wrong }
	if err := client(t, replayer.URL).Play(context.Background(), chooser, nil); !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
}

func TestAStopEndsTheThinking(t *testing.T) {
	replayer := newReplayer(t, load(t, "normal_play"))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	chooser := func(ctx context.Context, _ *Turn) (string, error) {
		stop()
		<-ctx.Done()
		close(ended)
		return "", ctx.Err()
	}
	if err := client(t, replayer.URL).Play(ctx, chooser, nil); err != nil {
		t.Error(err)
	}
	<-ended
}

func TestAStopEndsAWaitingPoll(t *testing.T) {
	fixture := load(t, "normal_play")
	fixture.Exchanges = fixture.Exchanges[:1]
	replayer := newReplayer(t, fixture)
	replayer.holdAt = 1
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		<-replayer.held
		stop()
	}()
	if err := client(t, replayer.URL).Play(ctx, nil, nil); err != nil {
		t.Error(err)
	}
	replayer.check(t)
}

func TestAChosenMoveIsDeliveredBeforeAStop(t *testing.T) {
	fixture := load(t, "normal_play")
	fixture.Exchanges = fixture.Exchanges[:3]
	// A client that stops does not wait for news.
	fixture.Exchanges[2].Request["body"].(map[string]any)["wait"] = 0.0
	replayer := newReplayer(t, fixture)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	client := client(t, replayer.URL)
	client.Warn = func(kind Warning, _ string) {
		if kind == WarningIllegalMove {
			stop() // The first legal move is chosen, but not sent.
		}
	}
	chooser := func(context.Context, *Turn) (string, error) { return "nonsense", nil }
	if err := client.Play(ctx, chooser, &PlayOptions{FirstLegal: true}); err != nil {
		t.Error(err)
	}
	replayer.check(t)
}

func TestAStopSendsTheMovesOfAWaitingRequestAgain(t *testing.T) {
	fixture := load(t, "normal_play")
	fixture.Exchanges = fixture.Exchanges[:3]
	body := fixture.Exchanges[2].Request["body"].(map[string]any)
	body["wait"] = 0.0
	replayer := newReplayer(t, fixture)
	replayer.holdAt = 2
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		<-replayer.held
		stop()
	}()
	chooser := func(_ context.Context, turn *Turn) (string, error) { return turn.LegalMoves()[0], nil }
	if err := client(t, replayer.URL).Play(ctx, chooser, nil); err != nil {
		t.Error(err)
	}
	replayer.check(t)
}

// waitAtMost lowers the wait that a request is expected to have.
func waitAtMost(request map[string]any, seconds float64) {
	body := request["body"].(map[string]any)
	body["wait"] = min(body["wait"].(float64), seconds)
}

// leavingAfter cuts the dialogue of a search off, and lets the bot leave the queue instead.
func leavingAfter(t *testing.T, requests int) *fixture {
	fixture := load(t, "finds_opponents")
	fixture.Exchanges = slices.Delete(fixture.Exchanges, requests, len(fixture.Exchanges)-1)
	return fixture
}

func TestAStoppedBotSendsItsLastMovesAndLeavesTheQueue(t *testing.T) {
	held := load(t, "finds_opponents").join(4) + 2
	fixture := leavingAfter(t, held+1)
	fixture.Exchanges[held].Request["body"].(map[string]any)["wait"] = 0.0
	replayer := newReplayer(t, fixture)
	replayer.holdAt = held
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		<-replayer.held
		stop()
	}()
	chooser := func(_ context.Context, turn *Turn) (string, error) { return turn.LegalMoves()[0], nil }
	if err := client(t, replayer.URL).Play(ctx, chooser, &PlayOptions{Find: fixture.Play.Find}); err != nil {
		t.Error(err)
	}
	replayer.check(t)
}

func TestABotThatIsStoppedWhileItsJoinIsLostLeavesTheQueueEvenIfItNeverJoined(t *testing.T) {
	fixture := leavingAfter(t, 2)
	response := &fixture.Exchanges[2].Response
	response.Status, response.Body = http.StatusNotFound, []byte(`{"type": "#not_queued", "code": "not_queued", "retryable": false}`)
	replayer := newReplayer(t, fixture)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	client := client(t, replayer.URL)
	client.Warn = func(Warning, string) { stop() }
	if err := client.Play(ctx, nil, &PlayOptions{Find: fixture.Play.Find}); err != nil {
		t.Error(err)
	}
	replayer.check(t)
}

func TestABotPlaysItsMatchesWhileTheQueueRefusesIt(t *testing.T) {
	fixture, queue := load(t, "match_ends"), load(t, "finds_opponents")
	for _, exchange := range fixture.Exchanges[1:] {
		waitAtMost(exchange.Request, 2)
	}
	refusal := queue.Exchanges[1]
	refusal.Response.Status, refusal.Response.Cut = http.StatusServiceUnavailable, ""
	refusal.Response.Headers = map[string]string{"Retry-After": "1.5"}
	refusal.Response.Body = []byte(`{"type": "#service_draining", "code": "service_draining", "retryable": true}`)
	exchanges := fixture.Exchanges[:1:1]
	over := map[string]bool{}
	for i, exchange := range fixture.Exchanges { // The bot looks before its first poll, and after each match that ends.
		var answer MoveResults
		_ = json.Unmarshal(exchange.Response.Body, &answer)
		before := len(over)
		for _, match := range answer.Finished {
			over[match.Match] = true
		}
		if i > 0 {
			exchanges = append(exchanges, exchange)
		}
		if i == 0 || len(over) > before && i < len(fixture.Exchanges)-1 {
			exchanges = append(exchanges, refusal)
		}
	}
	fixture.Exchanges = exchanges
	fixture.Exchanges = append(fixture.Exchanges, queue.Exchanges[len(queue.Exchanges)-1])
	fixture.Play.Find = queue.Play.Find
	follow(t, fixture)
}

func TestAMatchOfALostJoinMayEndBeforeTheJoinIsSentAgain(t *testing.T) {
	fixture := load(t, "finds_opponents")
	first, after := fixture.join(3), fixture.join(4)
	for _, exchange := range fixture.Exchanges[first+1 : after] {
		waitAtMost(exchange.Request, 1)
	}
	fixture.Exchanges = slices.Insert(fixture.Exchanges, after, fixture.Exchanges[first])
	fixture.Exchanges[first].Response.Cut = "before"
	follow(t, fixture)
}

func TestARatingBandMayBeLeftOutOrNull(t *testing.T) {
	for _, wish := range []struct {
		band *Nullable[int]
		body map[string]any
	}{
		{nil, map[string]any{"game": "durak"}},
		{Null[int](), map[string]any{"game": "durak", "rating_band": nil}},
		{Value(400), map[string]any{"game": "durak", "rating_band": 400.0}},
	} {
		fixture := load(t, "queue_refuses")
		fixture.Exchanges[1].Request["body"] = wish.body
		replayer := newReplayer(t, fixture)
		find := &JoinQueue{Game: GameIDDurak, RatingBand: wish.band}
		err := client(t, replayer.URL).Play(context.Background(), nil, &PlayOptions{Find: find})
		var problem *ProblemError
		if !errors.As(err, &problem) {
			t.Error(err)
		}
		replayer.check(t)
	}
}

func TestAServiceOutOfReachIsAnErrorWhenPatienceIsOver(t *testing.T) {
	client := client(t, "http://127.0.0.1:9")
	client.Patience = 300 * time.Millisecond
	_, err := client.Limits(context.Background())
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) {
		t.Errorf("got %v", err)
	}
}

func TestAResponseThatStopsInItsBodyIsLostInTime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"a":`))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // The client hangs up.
	}))
	defer server.Close()
	// A response may take a second.
	request := call{method: http.MethodGet, path: "/v1/limits", margin: time.Second}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := client(t, server.URL).once(ctx, request, nil)
	var lost *lostError
	if !errors.As(err, &lost) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestHeadersThatDripAreLostInTime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer connection.Close()
		_, err = connection.Write([]byte("HTTP/1.1 200 OK\r\n"))
		for drip := time.NewTicker(20 * time.Millisecond); err == nil; <-drip.C {
			_, err = connection.Write([]byte("X-More: 1\r\n"))
		} // The client hangs up.
	}))
	defer server.Close()
	request := call{method: http.MethodGet, path: "/v1/limits", margin: time.Second}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := client(t, server.URL).once(ctx, request, nil)
	var lost *lostError
	if !errors.As(err, &lost) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestARedirectIsAnErrorThatNamesItsAddress(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.Handle("/", http.RedirectHandler(server.URL+"/moved", http.StatusFound))
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the client follows the redirect with %s", r.Method)
		_, _ = w.Write([]byte("{}"))
	})
	client := client(t, server.URL)
	for _, http := range []*http.Client{client.HTTP, {}} { // A bot may set its own.
		client.HTTP = http
		for name, err := range map[string]error{
			"Do":   client.Do(context.Background(), "POST", "/v1/moves", &MoveBatch{}, nil),
			"Play": client.Play(context.Background(), nil, nil),
		} {
			var unreachable *UnreachableError
			wanted := fmt.Sprintf("redirects to %q; set the address of the service", server.URL+"/moved")
			if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), wanted) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

func TestAnAddressMustBeGiven(t *testing.T) {
	t.Setenv("KOZYR_URL", "")
	for _, address := range []string{"", "localhost:8000", "ftp://example.org", "http://", "http://me:secret@example.org", "http://a b"} {
		if _, err := New(address, ""); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}

func TestTheTokenOfTheEnvironmentIsForItsServiceOnly(t *testing.T) {
	t.Setenv("KOZYR_URL", "http://127.0.0.1:8000")
	t.Setenv("KOZYR_TOKEN", "kozyr_secret")
	for address, token := range map[string]string{"": "kozyr_secret", "http://example.org": ""} {
		if client, err := New(address, ""); err != nil || client.token != token {
			t.Errorf("%q: got %q, %v", address, client.token, err)
		}
	}
}

func TestAnObservationIsDecodedByGame(t *testing.T) {
	replayer := newReplayer(t, load(t, "normal_play"))
	done := errors.New("done")
	err := client(t, replayer.URL).Play(context.Background(), func(_ context.Context, turn *Turn) (string, error) {
		var durak DurakObservation
		if err := turn.Observation.Decode(&durak); err != nil {
			return "", err
		}
		if turn.Observation.Game != GameIDDurak || len(durak.Hand) == 0 || len(turn.LegalMoves()) == 0 {
			t.Errorf("got %+v", durak)
		}
		return "", done
	}, nil)
	if !errors.Is(err, done) {
		t.Error(err)
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	in10s := time.Now().Add(10 * time.Second).UTC().Format(http.TimeFormat)
	for header, wanted := range map[string]time.Duration{"2": 2 * time.Second, "": 0, "nonsense": 0, in10s: 9 * time.Second} {
		if got := retryAfter(header, ""); got < wanted || got > wanted+time.Second {
			t.Errorf("%q: got %v", header, got)
		}
	}
}

func TestADateInRetryAfterCountsFromTheDateOfTheResponse(t *testing.T) {
	if got := retryAfter("Thu, 26 Nov 2026 12:00:07 GMT", "Thu, 26 Nov 2026 12:00:00 GMT"); got != 7*time.Second {
		t.Errorf("got %v", got)
	}
}

func TestALostResponseToAMoveIsNoticedWhileTheClockLeavesTime(t *testing.T) {
	fixture := load(t, "normal_play")
	var poll MoveResults
	if err := json.Unmarshal(fixture.Exchanges[1].Response.Body, &poll); err != nil {
		t.Fatal(err)
	}
	turn := &poll.Turns[0]
	deadline := turn.Now.Add(35 * time.Second)
	turn.Deadline, turn.Clocks[turn.Seat].BankMs = &deadline, 30_000
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var mu sync.Mutex
	var came []time.Time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var batch MoveBatch
		_ = json.NewDecoder(r.Body).Decode(&batch)
		mu.Lock()
		if len(batch.Moves) > 0 {
			came = append(came, time.Now())
		}
		requests := len(came)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/v1/limits":
			_, _ = w.Write(fixture.Exchanges[0].Response.Body)
		case requests == 0:
			_ = json.NewEncoder(w).Encode(poll)
		case requests == 1:
			<-r.Context().Done() // The service never answers the first request with the move.
		default:
			stop()
			_, _ = w.Write(fixture.Exchanges[2].Response.Body)
		}
	}))
	defer server.Close()
	chooser := func(_ context.Context, turn *Turn) (string, error) { return turn.LegalMoves()[0], nil }
	if err := client(t, server.URL).Play(ctx, chooser, nil); err != nil {
		t.Fatal(err)
	}
	if gap := came[1].Sub(came[0]); gap > 15*time.Second {
		t.Errorf("the move was sent again after %v", gap)
	}
}

func TestAFinishEndsAWaitingPollAndTheNextOneBeginsNoMatch(t *testing.T) {
	fixture := load(t, "normal_play")
	fixture.Exchanges = fixture.Exchanges[:2]
	fixture.Exchanges[1].Request["body"].(map[string]any)["leaving"] = true
	fixture.Exchanges[1].Response.Body = []byte(
		`{"results": [], "turns": [], "finished": [], "since": "s", "service": "running", "running": 0}`)
	replayer := newReplayer(t, fixture)
	replayer.holdAt = 1
	finish := make(chan struct{})
	go func() {
		<-replayer.held
		close(finish)
	}()
	if err := client(t, replayer.URL).Play(context.Background(), nil, &PlayOptions{Finish: finish}); err != nil {
		t.Error(err)
	}
	replayer.check(t)
}

func TestAFinishBeforeTheServiceAnswersEndsPlay(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }))
	defer server.Close()
	finish := make(chan struct{})
	client := client(t, server.URL)
	client.Warn = func(Warning, string) { close(finish) }
	if err := client.Play(context.Background(), nil, &PlayOptions{Finish: finish}); err != nil {
		t.Error(err)
	}
}

func TestAFailureThatLastsWarnsOnce(t *testing.T) {
	requests, warnings := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests < 5 {
			w.WriteHeader(502)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"max_moves": 256}`))
	}))
	defer server.Close()
	client := client(t, server.URL)
	client.Warn = func(Warning, string) { warnings++ }
	if _, err := client.Limits(context.Background()); err != nil || warnings != 1 {
		t.Errorf("%d warnings, %v", warnings, err)
	}
}

func TestATokenThatNoHeaderCanHoldIsAnErrorThatDoesNotShowIt(t *testing.T) {
	for _, token := range []string{"kozyr_\nsecret", "kozyr secret", "kozyr_s\u00e9cret"} {
		if _, err := New("http://127.0.0.1:9", token); err == nil || strings.Contains(err.Error(), "cret") {
			t.Errorf("%q: got %v", token, err)
		}
	}
}
