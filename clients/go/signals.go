package kozyr

import (
	"os"
	"os/signal"
	"syscall"
)

// UntilInterrupted returns a channel for PlayOptions.Finish that the first SIGINT or SIGTERM closes. The
// second one ends the process.
func UntilInterrupted() <-chan struct{} {
	signals, finish := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals)
		close(finish)
	}()
	return finish
}
