module github.com/kozyr-league/kozyr/clients/go

go 1.23
