package main

import (
	"testing"

	"kozyr"
)

func TestATrumpIsDearerThanAnyOtherCard(t *testing.T) {
	durak := kozyr.DurakObservation{Trump: "S"}
	if cost("attack 6S", durak) <= cost("attack AH", durak) {
		t.Error("the trump is cheaper")
	}
}
