module my-bot

go 1.23

require kozyr v0.1.0

replace kozyr => ./kozyr-client
