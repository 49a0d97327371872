module kozyr

go 1.23
