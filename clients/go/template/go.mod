module example.org/my-bot

go 1.23

require github.com/kozyr-league/kozyr/clients/go v0.1.0
