package bot;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TacticsTest {
    @Test
    void aTrumpIsDearerThanAnyOtherCard() {
        assertTrue(Tactics.cost("attack 6S", "S") > Tactics.cost("attack AH", "S"));
    }
}
