package kozyr

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fixture is a recorded dialogue; see clients/fixtures/README.md.
type fixture struct {
	Play struct {
		Matches   int    `json:"matches"`
		OnIllegal string `json:"on_illegal"`
		Find      *JoinQueue
	} `json:"play"`
	Choices map[string]struct {
		Move    string `json:"move"`
		DelayMs int    `json:"delay_ms"`
		Finish  bool   `json:"finish"`
	} `json:"choices"`
	Expect struct {
		Finished []string `json:"finished"`
		Error    *struct {
			Code   ProblemCode `json:"code"`
			Status int         `json:"status"`
		} `json:"error"`
		Warnings []Warning `json:"warnings"`
	} `json:"expect"`
	Exchanges []struct {
		Request  map[string]any `json:"request"`
		Response struct {
			Status  int               `json:"status"`
			Headers map[string]string `json:"headers"`
			Body    json.RawMessage   `json:"body"`
			Text    *string           `json:"text"`
			Cut     string            `json:"cut"`
		} `json:"response"`
	} `json:"exchanges"`
}

// join returns the index of the first request with a key.
func (f *fixture) join(key int) int {
	for i, exchange := range f.Exchanges {
		if exchange.Request["key"] == float64(key) {
			return i
		}
	}
	return -1
}

func fixtureFiles(t *testing.T) []string {
	files, err := filepath.Glob("../fixtures/*.json")
	if err != nil || len(files) == 0 {
		t.Skip("the fixtures are not here: clients/fixtures of the repository")
	}
	return files
}

func load(t *testing.T, name string) *fixture {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "fixtures", name+".json"))
	if err != nil {
		t.Skip(err)
	}
	read := new(fixture)
	if err := json.Unmarshal(data, read); err != nil {
		t.Fatal(err)
	}
	return read
}

// pause returns what Retry-After asks for, in either form.
func pause(headers map[string]string) time.Duration {
	if seconds, err := strconv.Atoi(headers["Retry-After"]); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(headers["Retry-After"])
	now, _ := http.ParseTime(headers["Date"])
	if err != nil {
		return 0
	}
	return until.Sub(now)
}

// A replayer serves a fixture and compares the requests with it.
type replayer struct {
	*httptest.Server
	fixture *fixture
	// holdAt is the index of a request that is never answered, as a long poll without news. held is
	// closed when it comes.
	holdAt int
	held   chan struct{}

	mu        sync.Mutex
	mistakes  []string
	next      int
	notBefore time.Time
	keys      []string
}

func newReplayer(t *testing.T, fixture *fixture) *replayer {
	r := &replayer{fixture: fixture, holdAt: -1, held: make(chan struct{})}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
	})
	return r
}

func (r *replayer) check(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, mistake := range r.mistakes {
		t.Error(mistake)
	}
	if r.next < len(r.fixture.Exchanges) {
		t.Errorf("the client stopped before request %d of %d", r.next, len(r.fixture.Exchanges))
	}
}

func (r *replayer) serve(w http.ResponseWriter, request *http.Request) {
	got := map[string]any{"method": request.Method, "path": request.RequestURI}
	if body, _ := io.ReadAll(request.Body); len(body) > 0 {
		var fields map[string]any
		_ = json.Unmarshal(body, &fields)
		if _, ok := fields["moves"]; !ok && request.URL.Path == "/v1/turns" {
			fields["moves"] = []any{}
		}
		got["body"] = fields
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if key := request.Header.Get("Idempotency-Key"); key != "" {
		if !slices.Contains(r.keys, key) {
			r.keys = append(r.keys, key)
		}
		got["key"] = float64(slices.Index(r.keys, key) + 1)
	}
	if r.next == r.holdAt {
		r.holdAt = -1
		close(r.held)
		r.mu.Unlock()
		<-request.Context().Done()
		r.mu.Lock()
		return
	}
	if r.next == len(r.fixture.Exchanges) || !reflect.DeepEqual(got, r.fixture.Exchanges[r.next].Request) {
		wanted := any("no more requests")
		if r.next < len(r.fixture.Exchanges) {
			wanted = r.fixture.Exchanges[r.next].Request
		}
		r.mistakes = append(r.mistakes, fmt.Sprintf("request %d:\ngot      %v\nexpected %v", r.next, got, wanted))
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"type": "/docs/problems#unexpected", "code": "unexpected", "retryable": false}`)
		return
	}
	if time.Now().Before(r.notBefore) {
		r.mistakes = append(r.mistakes, fmt.Sprintf("request %d ignored Retry-After", r.next))
	}
	response := r.fixture.Exchanges[r.next].Response
	r.next++
	if response.Cut == "before" {
		panic(http.ErrAbortHandler)
	}
	content, kind := string(response.Body), "application/json"
	if response.Status >= 400 {
		kind = "application/problem+json"
	}
	if response.Text != nil {
		content, kind = *response.Text, "text/plain"
	}
	w.Header().Set("Content-Type", kind)
	for name, value := range response.Headers {
		w.Header().Set(name, value)
	}
	if request.URL.Path != "/v1/queue" { // Polls go on, and the next idle one brings the request again.
		r.notBefore = time.Now().Add(pause(response.Headers))
	}
	if response.Status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	}
	w.WriteHeader(response.Status)
	if response.Cut == "inside" {
		_, _ = io.Copy(w, strings.NewReader(content[:len(content)/2]))
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(w, content)
}
