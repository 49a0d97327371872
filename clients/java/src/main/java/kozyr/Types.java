// Generated from openapi.yaml by tools/client_types.py. DO NOT EDIT.

package kozyr;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The types of the contract. A later release may add fields, and values of strings. */
public final class Types {
    private Types() {}

    /**
     * The schema Bot of the API.
     * @param id The bot's id, which never changes
     * @param bot `owner/bot`
     * @param owner The owner's name
     * @param name The bot's name
     * @param version The version, set by the owner
     * @param description The owner's description
     * @param created When it was created
     * @param matchPolicy see match_policy
     * @param disabled Whether it is disabled: its tokens don't work and it gets no new matches
     * @param disabledReason Why an admin disabled it; null if no admin did
     * @param house Whether it is a house bot
     * @param online Whether it asked for its turns or moved within 30 s, or is waiting in a poll.
     *     Arenas seat only online bots. Shown only to the bot and its owner
     */
    public record Bot(
            String id,
            String bot,
            String owner,
            String name,
            String version,
            String description,
            Instant created,
            MatchPolicy matchPolicy,
            boolean disabled,
            String disabledReason,
            boolean house,
            Boolean online) {}

    /**
     * The clock of a match. Omitted fields have their defaults.
     * @param moveMs Time for each decision. Default: `5000`
     * @param bankMs Additional time for the whole match. Default: `30000`
     * @param incrementMs Added to the bank by each decision made. Default: `0`
     * @param graceMs Network allowance for each move; never charged. Default: `250`
     * @param strikes The number of timeouts that forfeit the seat. Default: `3`
     */
    public record Clock(
            Integer moveMs,
            Integer bankMs,
            Integer incrementMs,
            Integer graceMs,
            Integer strikes) {
        /** Returns one with the required fields. */
        public static Clock of() {
            return new Clock(null, null, null, null, null);
        }

        /** Returns a copy with this moveMs. */
        public Clock withMoveMs(Integer moveMs) {
            return new Clock(moveMs, bankMs, incrementMs, graceMs, strikes);
        }

        /** Returns a copy with this bankMs. */
        public Clock withBankMs(Integer bankMs) {
            return new Clock(moveMs, bankMs, incrementMs, graceMs, strikes);
        }

        /** Returns a copy with this incrementMs. */
        public Clock withIncrementMs(Integer incrementMs) {
            return new Clock(moveMs, bankMs, incrementMs, graceMs, strikes);
        }

        /** Returns a copy with this graceMs. */
        public Clock withGraceMs(Integer graceMs) {
            return new Clock(moveMs, bankMs, incrementMs, graceMs, strikes);
        }

        /** Returns a copy with this strikes. */
        public Clock withStrikes(Integer strikes) {
            return new Clock(moveMs, bankMs, incrementMs, graceMs, strikes);
        }
    }

    /**
     * All values are in milliseconds, except `strikes`.
     * @param moveMs Time for each decision
     * @param bankMs Additional time for the whole match
     * @param incrementMs Added to the bank by each decision made
     * @param graceMs Network allowance for each move; never charged
     * @param strikes The number of timeouts that forfeit the seat
     */
    public record ClockRule(
            int moveMs,
            int bankMs,
            int incrementMs,
            int graceMs,
            int strikes) {}

    /**
     * The schema CreatedBot of the API.
     * @param bot see bot
     * @param token The token, sent as `Authorization: Bearer …`. Shown only once
     */
    public record CreatedBot(
            Bot bot,
            String token) {}

    /**
     * The schema CreatedOwner of the API.
     * @param owner see owner
     * @param token The token, sent as `Authorization: Bearer …`. Shown only once
     */
    public record CreatedOwner(
            Owner owner,
            String token) {}

    /**
     * What one seat, or a spectator, sees of a deal of Durak.
     * @param game see game
     * @param deal This deal's number in the match, from 1
     * @param deals The number of deals in the match
     * @param dealer The dealer of this deal
     * @param scores Points of the finished deals, by seat
     * @param seat The seat that sees this; null for a spectator
     * @param toMove The seat to move; null when the deal is over
     * @param question What is asked: attack (open the bout), throw (throw in or pass, the attack goes
     *     on), defend (beat or take), give (throw in or pass, the defender takes), exchange (the 6 of
     *     trumps after the last draw, or pass); null when the deal is over
     * @param hand Your cards, by rank, then by suit; empty for a spectator
     * @param handSizes The number of cards in each hand, by seat
     * @param trump The trump suit: C, D, H or S
     * @param trumpCard The upturned card that lies under the talon; null when there is no talon
     * @param talon Cards left to draw, including the upturned one
     * @param discard Cards in the discard heap
     * @param attacker The principal attacker of this bout; null when the deal is over
     * @param defender The defender of this bout; null when the deal is over
     * @param entitled The seats that may attack in this bout, in the order of asking
     * @param pairs The bout so far: each attack card in order of play, with the card that beats it or
     *     null
     * @param taking Whether the defender has said `take`
     * @param room The number of attack cards that may still be played in this bout
     * @param known By seat, the cards that everybody knows to lie in that hand: picked up or shown in
     *     sight of all
     * @param out The seats that have no cards left
     * @param teams The seats of each team; null when all play for themselves
     * @param movesMade Moves made in this deal, exchanges among them
     * @param turnLimit The deal is a draw after this number of moves
     * @param legalMoves The legal moves of this turn; send one with `turn`. Empty if it is not your
     *     turn
     * @param freeMoves The free moves that you may make now, whether or not it is your turn; send one
     *     with `deal`. Empty for a spectator
     */
    public record DurakObservation(
            String game,
            int deal,
            int deals,
            int dealer,
            List<Integer> scores,
            Integer seat,
            Integer toMove,
            String question,
            List<String> hand,
            List<Integer> handSizes,
            String trump,
            String trumpCard,
            int talon,
            int discard,
            Integer attacker,
            Integer defender,
            List<Integer> entitled,
            List<List<Object>> pairs,
            boolean taking,
            int room,
            List<List<String>> known,
            List<Integer> out,
            List<List<Integer>> teams,
            int movesMade,
            int turnLimit,
            List<String> legalMoves,
            List<String> freeMoves) {}

    /**
     * The options of durak. Omitted options have their defaults.
     * @param teams Four or six players in two teams, the even seats against the odd. Default: `false`
     * @param attackers Everybody but the defender, or only the nearest players with cards on either
     *     side. By default `neighbours` with five or six players, else `all`. Not with teams, where the
     *     opponents attack.
     * @param batchAttacks Whether attackers may play several cards in one move. Default: `false`
     * @param firstAttacker Who attacks first in the match's first deal: the holder of the lowest
     *     trump, or the player on the dealer's left, as in all later deals. Default: `lowest_trump`
     * @param turnLimit A deal without a result after this many moves is a draw. Default: `1000`
     */
    public record DurakOptions(
            Boolean teams,
            String attackers,
            Boolean batchAttacks,
            String firstAttacker,
            Integer turnLimit) {
        /** Returns one with the required fields. */
        public static DurakOptions of() {
            return new DurakOptions(null, null, null, null, null);
        }

        /** Returns a copy with this teams. */
        public DurakOptions withTeams(Boolean teams) {
            return new DurakOptions(teams, attackers, batchAttacks, firstAttacker, turnLimit);
        }

        /** Returns a copy with this attackers. */
        public DurakOptions withAttackers(String attackers) {
            return new DurakOptions(teams, attackers, batchAttacks, firstAttacker, turnLimit);
        }

        /** Returns a copy with this batchAttacks. */
        public DurakOptions withBatchAttacks(Boolean batchAttacks) {
            return new DurakOptions(teams, attackers, batchAttacks, firstAttacker, turnLimit);
        }

        /** Returns a copy with this firstAttacker. */
        public DurakOptions withFirstAttacker(String firstAttacker) {
            return new DurakOptions(teams, attackers, batchAttacks, firstAttacker, turnLimit);
        }

        /** Returns a copy with this turnLimit. */
        public DurakOptions withTurnLimit(Integer turnLimit) {
            return new DurakOptions(teams, attackers, batchAttacks, firstAttacker, turnLimit);
        }
    }

    /**
     * rules: played to the end; forfeit: ended early, because after timeouts at most one side was
     * left; resigned: ended early, because after resignations at most one side was left; aborted:
     * never started; void: does not count
     */
    public record Ending(@JsonValue String value) {
        public static final Ending RULES = new Ending("rules");
        public static final Ending FORFEIT = new Ending("forfeit");
        public static final Ending RESIGNED = new Ending("resigned");
        public static final Ending ABORTED = new Ending("aborted");
        public static final Ending VOID = new Ending("void");

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public Ending {}

        @Override
        public String toString() {
            return value;
        }
    }

    /**
     * A match of yours that is over.
     * @param match The match's id
     * @param seat Your seat
     * @param ending see ending
     * @param scores By seat
     * @param places By seat
     * @param forfeits The forfeited seats
     * @param ended When it ended
     */
    public record FinishedMatch(
            String match,
            int seat,
            Ending ending,
            List<Integer> scores,
            List<Integer> places,
            List<Integer> forfeits,
            Instant ended) {}

    /**
     * A game's id
     */
    public record GameId(@JsonValue String value) {
        public static final GameId DURAK = new GameId("durak");
        public static final GameId KING = new GameId("king");
        public static final GameId KRYT = new GameId("kryt");
        public static final GameId SVOI_KOZYRI = new GameId("svoi_kozyri");

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public GameId {}

        @Override
        public String toString() {
            return value;
        }
    }

    /**
     * A wish for one match.
     * @param game As in `GET /v1/games`
     * @param options see options
     * @param clock see clock
     * @param seats The number of seats; if omitted, the fewest that the game has
     * @param deals The number of deals, by default 1. Not for games with a fixed number
     * @param ratingBand How far an opponent's rating may lie from the bot's own at first, in rating
     *     points. Null accepts any opponent. Default: `200`
     * @param bandGrowth By how many rating points the band widens each second. Default: `20`
     * @param entropy Printable characters of your choice that enter the shuffle
     */
    public record JoinQueue(
            GameId game,
            Object options,
            Clock clock,
            Integer seats,
            Integer deals,
            JsonNode ratingBand,
            Integer bandGrowth,
            String entropy) {
        /** Returns one with the required fields. */
        public static JoinQueue of(GameId game) {
            return new JoinQueue(game, null, null, null, null, null, null, null);
        }

        /** Returns a copy with this options. */
        public JoinQueue withOptions(Object options) {
            return new JoinQueue(game, options, clock, seats, deals, ratingBand, bandGrowth, entropy);
        }

        /** Returns a copy with this clock. */
        public JoinQueue withClock(Clock clock) {
            return new JoinQueue(game, options, clock, seats, deals, ratingBand, bandGrowth, entropy);
        }

        /** Returns a copy with this seats. */
        public JoinQueue withSeats(Integer seats) {
            return new JoinQueue(game, options, clock, seats, deals, ratingBand, bandGrowth, entropy);
        }

        /** Returns a copy with this deals. */
        public JoinQueue withDeals(Integer deals) {
            return new JoinQueue(game, options, clock, seats, deals, ratingBand, bandGrowth, entropy);
        }

        /** Returns a copy with this ratingBand, where null is a value of its own. */
        public JoinQueue withRatingBand(Integer value) {
            JsonNode ratingBand = Http.JSON.valueToTree(value);
            return new JoinQueue(game, options, clock, seats, deals, ratingBand, bandGrowth, entropy);
        }

        /** Returns a copy with this bandGrowth. */
        public JoinQueue withBandGrowth(Integer bandGrowth) {
            return new JoinQueue(game, options, clock, seats, deals, ratingBand, bandGrowth, entropy);
        }

        /** Returns a copy with this entropy. */
        public JoinQueue withEntropy(String entropy) {
            return new JoinQueue(game, options, clock, seats, deals, ratingBand, bandGrowth, entropy);
        }
    }

    /**
     * What one seat, or a spectator, sees of a deal of King.
     * @param game see game
     * @param deal This deal's number in the match, from 1
     * @param deals The number of deals in the match
     * @param dealer The dealer of this deal
     * @param scores Points of the finished deals, by seat
     * @param seat The seat that sees this; null for a spectator
     * @param toMove The seat to move; null when the deal is over
     * @param question What is asked: declare (trumps or a miser) or play (a card); null when the deal
     *     is over
     * @param hand Your cards, by rank, then by suit (before the declaration three); empty for a
     *     spectator
     * @param handSizes The number of cards in each hand, by seat
     * @param contract What scores in this deal: no_tricks, no_hearts, no_jacks, no_queens,
     *     no_last_two, no_king_of_hearts, negative_yeralash, khvalenka or positive_yeralash
     * @param declared The declaration: C, D, H, S, last or miser; null before it and in deals without
     *     one
     * @param trump The trump suit, C, D, H or S; null where there is none, or none yet
     * @param trumpCard The card that `declare last` has shown; null without one
     * @param miser Whether the ranks are reversed, 7 high and ace low
     * @param trick The trick that is being played: pairs of seat and card, the leader's first
     * @param lastTrick The trick before it in the same form; empty in the first
     * @param tricksTaken The number of tricks taken in this deal, by seat
     * @param taken The cards taken in this deal, by seat, in the order of play
     * @param dealScores The points of this deal so far, by seat
     * @param known By seat, the cards that everybody knows to lie in that hand: the one shown, until
     *     played
     * @param legalMoves The legal moves of this turn; send one with `turn`. Empty if it is not your
     *     turn
     * @param freeMoves The free moves that you may make now, whether or not it is your turn; send one
     *     with `deal`. Empty for a spectator
     */
    public record KingObservation(
            String game,
            int deal,
            int deals,
            int dealer,
            List<Integer> scores,
            Integer seat,
            Integer toMove,
            String question,
            List<String> hand,
            List<Integer> handSizes,
            String contract,
            String declared,
            String trump,
            String trumpCard,
            boolean miser,
            List<List<Object>> trick,
            List<List<Object>> lastTrick,
            List<Integer> tricksTaken,
            List<List<String>> taken,
            List<Integer> dealScores,
            List<List<String>> known,
            List<String> legalMoves,
            List<String> freeMoves) {}

    /**
     * The options of king. Omitted options have their defaults.
     */
    public record KingOptions() {}

    /**
     * What one seat, or a spectator, sees of a deal of Kryt'-navalivat'.
     * @param game see game
     * @param deal This deal's number in the match, from 1
     * @param deals The number of deals in the match
     * @param dealer The dealer of this deal
     * @param scores Points of the finished deals, by seat
     * @param seat The seat that sees this; null for a spectator
     * @param toMove The seat that is asked; null when the deal is over
     * @param question What is asked: lead (a card to the empty pile), beat (the top card, or pick
     *     up), free_lead (a card on top of the pile, whatever lies there); null when the deal is over
     * @param hand Your cards, by rank, then by suit; empty for a spectator
     * @param handSizes The number of cards in each hand, by seat
     * @param pile Cards in the pile
     * @param top The top card of the pile; null when there is no pile
     * @param pickup The cards that a pickup would bring, the top card first; null unless you are
     *     asked to beat
     * @param under The card right under those of `pickup`, which would be the new top; null if there
     *     is none, or unless you are asked to beat
     * @param known By seat, the cards that everybody knows to lie in that hand: picked up or shown in
     *     sight of all
     * @param out The seats that have got rid of all their cards
     * @param movesMade Moves made in this deal, exchanges among them
     * @param turnLimit At this number of moves the deal is a draw
     * @param trump The trump suit: C, D, H or S
     * @param antiTrump The suit that no trump beats: S with fixed trumps, else null
     * @param trumpCard The upturned card that lies under the stock; null with no stock, or with fixed
     *     trumps
     * @param stock Cards left to draw, the upturned one among them
     * @param legalMoves The legal moves of this turn; send one with `turn`. Empty if it is not your
     *     turn
     * @param freeMoves The free moves that you may make now, whether or not it is your turn; send one
     *     with `deal`. Empty for a spectator
     */
    public record KrytObservation(
            String game,
            int deal,
            int deals,
            int dealer,
            List<Integer> scores,
            Integer seat,
            Integer toMove,
            String question,
            List<String> hand,
            List<Integer> handSizes,
            int pile,
            String top,
            List<String> pickup,
            String under,
            List<List<String>> known,
            List<Integer> out,
            int movesMade,
            int turnLimit,
            String trump,
            String antiTrump,
            String trumpCard,
            int stock,
            List<String> legalMoves,
            List<String> freeMoves) {}

    /**
     * The options of kryt. Omitted options have their defaults.
     * @param trumps `turned`: the card turned up under the stock names the trump suit. `fixed`:
     *     diamonds are trumps and spades anti-trumps, which no trump beats. Default: `turned`
     * @param turnLimit A deal without a result after this many moves is a draw. Default: `1000`
     */
    public record KrytOptions(
            String trumps,
            Integer turnLimit) {
        /** Returns one with the required fields. */
        public static KrytOptions of() {
            return new KrytOptions(null, null);
        }

        /** Returns a copy with this trumps. */
        public KrytOptions withTrumps(String trumps) {
            return new KrytOptions(trumps, turnLimit);
        }

        /** Returns a copy with this turnLimit. */
        public KrytOptions withTurnLimit(Integer turnLimit) {
            return new KrytOptions(trumps, turnLimit);
        }
    }

    /**
     * The schema Limits of the API.
     * @param maxWaitS The longest `wait` of a request, in seconds
     * @param maxBodyBytes The largest body of a request
     * @param bodyTimeoutS Seconds within which a body must arrive completely
     * @param maxMoves Moves in one `POST /v1/turns`
     * @param maxPage Entries of one page of a list; standings have up to 1000
     * @param maxEvents Events in one response
     * @param maxPolls Polls of one bot that may wait in one process of the service. One more makes
     *     the oldest respond at once
     * @param maxWaits Requests that may wait for a match's next turn or its events, per bot, or per
     *     address without a token
     * @param openRegistration Whether registration needs no invitation
     * @param startMs A match is aborted if its seats don't show up within this time
     * @param openMs A match is aborted if its open seats aren't taken within this time
     * @param settleMs The delay after deadline and grace before the referee makes the safe move
     * @param rates The rate limits. A missing entry means no limit
     * @param version The version of the service
     */
    public record Limits(
            double maxWaitS,
            int maxBodyBytes,
            double bodyTimeoutS,
            int maxMoves,
            int maxPage,
            int maxEvents,
            int maxPolls,
            int maxWaits,
            boolean openRegistration,
            int startMs,
            int openMs,
            int settleMs,
            Map<String, Rate> rates,
            String version) {}

    /**
     * A match as the caller may see it.
     * @param id The match's id
     * @param game The game's id
     * @param options Every option that applies, defaults too
     * @param preset What is rated together: game, seats, and options that are not their defaults
     * @param rules The game and the version of its rules
     * @param deals How many deals the match has
     * @param deal The deal in progress, from 1
     * @param seats Who sits where; null is an open seat
     * @param clock see clock
     * @param rated Whether it counts in ratings
     * @param ladder The ladder that made it
     * @param round The ladder's round
     * @param status see status
     * @param ending How it ended; null before the end
     * @param isVoid Whether it is over and does not count, by its ending or by a later annotation
     * @param created When it was created
     * @param started When its first deal was dealt
     * @param ended When it ended
     * @param scores Points of the finished deals, by seat
     * @param places By seat, 1 + the number of seats with a higher score; forfeited seats after all
     *     others
     * @param forfeits The forfeited seats
     * @param continues The position of an earlier match at which it began. Such a match counts in no
     *     rating or standing
     * @param entropy By seat, whether it gave entropy of its own to the shuffle
     * @param commitment SHA-256 of the shuffle's secret and the match's id, in hexadecimal
     * @param clocks By seat
     * @param seat The seat whose view this is; null for a spectator
     * @param now Service time at this answer
     * @param turn The current turn; null if there is none
     * @param toMove The seat to move; null if there is none
     * @param deadline When the turn times out, including the bank but not the grace; null without a
     *     clock
     * @param observation What this viewer sees of the deal; null while no deal is played
     */
    public record Match(
            String id,
            String game,
            Map<String, Object> options,
            String preset,
            String rules,
            int deals,
            int deal,
            List<SeenSeat> seats,
            ClockRule clock,
            boolean rated,
            String ladder,
            Integer round,
            MatchStatus status,
            Ending ending,
            @JsonProperty("void") boolean isVoid,
            Instant created,
            Instant started,
            Instant ended,
            List<Integer> scores,
            List<Integer> places,
            List<Integer> forfeits,
            MatchPlace continues,
            List<Boolean> entropy,
            String commitment,
            List<SeatClock> clocks,
            Integer seat,
            Instant now,
            Integer turn,
            Integer toMove,
            Instant deadline,
            Observation observation) {}

    /**
     * A free move in one of your matches.
     * @param deal The deal to make it in
     * @param move The move as text
     * @param note Your own note on the move. Only you see it before everybody may read the match
     * @param match The match's id
     */
    public record MatchFreeMove(
            int deal,
            String move,
            String note,
            String match) {
        /** Returns one with the required fields. */
        public static MatchFreeMove of(int deal, String move, String match) {
            return new MatchFreeMove(deal, move, null, match);
        }

        /** Returns a copy with this note. */
        public MatchFreeMove withNote(String note) {
            return new MatchFreeMove(deal, move, note, match);
        }
    }

    /**
     * The schema MatchMove of the API.
     * @param turn The turn that is answered
     * @param move The move as text, one of `legal_moves`
     * @param note Your own note on the move. Only you see it before everybody may read the match
     * @param match The match's id
     * @param deal The deal to make it in
     */
    public record MatchMove(
            Integer turn,
            String move,
            String note,
            String match,
            Integer deal) {
        /** Returns one with the required fields. */
        public static MatchMove of(String move, String match) {
            return new MatchMove(null, move, null, match, null);
        }

        /** Returns a copy with this turn. */
        public MatchMove withTurn(Integer turn) {
            return new MatchMove(turn, move, note, match, deal);
        }

        /** Returns a copy with this note. */
        public MatchMove withNote(String note) {
            return new MatchMove(turn, move, note, match, deal);
        }

        /** Returns a copy with this deal. */
        public MatchMove withDeal(Integer deal) {
            return new MatchMove(turn, move, note, match, deal);
        }
    }

    /**
     * The schema MatchPlace of the API.
     * @param match The match that this one continues
     * @param deal The deal at which it began
     * @param move How many moves of that deal were repeated
     */
    public record MatchPlace(
            String match,
            int deal,
            int move) {}

    /**
     * The schema MatchPolicy of the API.
     * @param games The games it plays; null: all
     * @param maxMatches Matches at the same time, at most
     * @param minMoveMs The shortest `move_ms`
     * @param minBankMs The smallest `bank_ms`
     * @param kinds The kinds of match it plays; null: all
     * @param owners The only owners, besides its own, that it plays with; null: all
     * @param excludedOwners Owners that it does not play with
     */
    public record MatchPolicy(
            List<String> games,
            int maxMatches,
            int minMoveMs,
            int minBankMs,
            List<String> kinds,
            List<String> owners,
            List<String> excludedOwners) {}

    /**
     * The matches that a bot accepts.
     * @param games The games it plays; null: all
     * @param maxMatches Matches at the same time, at most. Default: `16`
     * @param minMoveMs The shortest `move_ms`. Default: `0`
     * @param minBankMs The smallest `bank_ms`. Default: `0`
     * @param kinds The kinds of match it plays; null: all
     * @param owners The only owners whose bots and challenges it accepts, besides its own; `house`
     *     has the house bots. Null: all
     * @param excludedOwners Owners whose bots and challenges it does not accept
     */
    public record MatchPolicyInput(
            List<String> games,
            Integer maxMatches,
            Integer minMoveMs,
            Integer minBankMs,
            List<String> kinds,
            List<String> owners,
            List<String> excludedOwners) {
        /** Returns one with the required fields. */
        public static MatchPolicyInput of() {
            return new MatchPolicyInput(null, null, null, null, null, null, null);
        }

        /** Returns a copy with this games. */
        public MatchPolicyInput withGames(List<String> games) {
            return new MatchPolicyInput(games, maxMatches, minMoveMs, minBankMs, kinds, owners, excludedOwners);
        }

        /** Returns a copy with this maxMatches. */
        public MatchPolicyInput withMaxMatches(Integer maxMatches) {
            return new MatchPolicyInput(games, maxMatches, minMoveMs, minBankMs, kinds, owners, excludedOwners);
        }

        /** Returns a copy with this minMoveMs. */
        public MatchPolicyInput withMinMoveMs(Integer minMoveMs) {
            return new MatchPolicyInput(games, maxMatches, minMoveMs, minBankMs, kinds, owners, excludedOwners);
        }

        /** Returns a copy with this minBankMs. */
        public MatchPolicyInput withMinBankMs(Integer minBankMs) {
            return new MatchPolicyInput(games, maxMatches, minMoveMs, minBankMs, kinds, owners, excludedOwners);
        }

        /** Returns a copy with this kinds. */
        public MatchPolicyInput withKinds(List<String> kinds) {
            return new MatchPolicyInput(games, maxMatches, minMoveMs, minBankMs, kinds, owners, excludedOwners);
        }

        /** Returns a copy with this owners. */
        public MatchPolicyInput withOwners(List<String> owners) {
            return new MatchPolicyInput(games, maxMatches, minMoveMs, minBankMs, kinds, owners, excludedOwners);
        }

        /** Returns a copy with this excludedOwners. */
        public MatchPolicyInput withExcludedOwners(List<String> excludedOwners) {
            return new MatchPolicyInput(games, maxMatches, minMoveMs, minBankMs, kinds, owners, excludedOwners);
        }
    }

    /**
     * open: has open seats; waiting: for its seats to show up; running; finished
     */
    public record MatchStatus(@JsonValue String value) {
        public static final MatchStatus OPEN = new MatchStatus("open");
        public static final MatchStatus WAITING = new MatchStatus("waiting");
        public static final MatchStatus RUNNING = new MatchStatus("running");
        public static final MatchStatus FINISHED = new MatchStatus("finished");

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public MatchStatus {}

        @Override
        public String toString() {
            return value;
        }
    }

    /**
     * An answer to a turn of one of your matches.
     * @param turn The turn that is answered
     * @param move The move as text, one of `legal_moves`
     * @param note Your own note on the move. Only you see it before everybody may read the match
     * @param match The match's id
     */
    public record MatchTurnMove(
            int turn,
            String move,
            String note,
            String match) {
        /** Returns one with the required fields. */
        public static MatchTurnMove of(int turn, String move, String match) {
            return new MatchTurnMove(turn, move, null, match);
        }

        /** Returns a copy with this note. */
        public MatchTurnMove withNote(String note) {
            return new MatchTurnMove(turn, move, note, match);
        }
    }

    /**
     * Any number of moves, and a wait for the next turns.
     * @param moves An empty list only waits
     * @param waitS Seconds to wait for a turn, at most `max_wait_s` of `GET /v1/limits`. Default:
     *     `0.0`
     * @param since The `since` of the last response: leaves out turns and finished matches already
     *     delivered
     * @param leaving The bot finishes its matches and leaves: it does not show up for matches that
     *     have not begun, and this request does not make it online. Default: `false`
     */
    public record MoveBatch(
            List<MatchMove> moves,
            @JsonProperty("wait") Double waitS,
            String since,
            Boolean leaving) {
        /** Returns one with the required fields. */
        public static MoveBatch of() {
            return new MoveBatch(null, null, null, null);
        }

        /** Returns a copy with this moves. */
        public MoveBatch withMoves(List<MatchMove> moves) {
            return new MoveBatch(moves, waitS, since, leaving);
        }

        /** Returns a copy with this waitS. */
        public MoveBatch withWaitS(Double waitS) {
            return new MoveBatch(moves, waitS, since, leaving);
        }

        /** Returns a copy with this since. */
        public MoveBatch withSince(String since) {
            return new MoveBatch(moves, waitS, since, leaving);
        }

        /** Returns a copy with this leaving. */
        public MoveBatch withLeaving(Boolean leaving) {
            return new MoveBatch(moves, waitS, since, leaving);
        }
    }

    /**
     * The result of a move, or the move and the problem of a refused one.
     * @param match The match's id
     * @param seat Your seat
     * @param turn The turn that was answered; null for a free move
     * @param move The move that was made
     * @param ms The time taken
     * @param chargedMs The part of it charged to your bank
     * @param replayed Whether the move had been made before; the result is the first one
     * @param problem see problem
     */
    public record MoveOutcome(
            String match,
            Integer seat,
            Integer turn,
            String move,
            Integer ms,
            Integer chargedMs,
            Boolean replayed,
            Problem problem) {}

    /**
     * The result of a move.
     * @param match The match's id
     * @param seat Your seat
     * @param turn The turn that was answered; null for a free move
     * @param move The move that was made
     * @param ms The time taken
     * @param chargedMs The part of it charged to your bank
     * @param replayed Whether the move had been made before; the result is the first one
     */
    public record MoveResult(
            String match,
            int seat,
            Integer turn,
            String move,
            int ms,
            int chargedMs,
            boolean replayed) {}

    /**
     * The result of a move, and what came next.
     * @param match The match's id
     * @param seat Your seat
     * @param turn The turn that was answered; null for a free move
     * @param move The move that was made
     * @param ms The time taken
     * @param chargedMs The part of it charged to your bank
     * @param replayed Whether the move had been made before; the result is the first one
     * @param next Your next turn of this match, if it came within the wait
     * @param finished The end of the match, if it came within the wait
     * @param service see service
     */
    public record MoveResultAndTurns(
            String match,
            int seat,
            Integer turn,
            String move,
            int ms,
            int chargedMs,
            boolean replayed,
            Turn next,
            FinishedMatch finished,
            ServiceState service) {}

    /**
     * The schema MoveResults of the API.
     * @param results The result of each move, in the order sent
     * @param turns Your open turns that `since` does not cover
     * @param finished Matches of yours that are over
     * @param since Send it with your next request
     * @param service see service
     * @param running With `leaving`: how many of your matches have begun and are not over. At 0 the
     *     wait ends
     */
    public record MoveResults(
            List<MoveOutcome> results,
            List<Turn> turns,
            List<FinishedMatch> finished,
            String since,
            ServiceState service,
            Integer running) {}

    /**
     * A bot.
     * @param name 2 to 32 characters of a-z, 0-9 and -; the first is not -
     * @param version The version of your program: printable characters, not only blanks. Matches
     *     record it. Default: `1`
     * @param description A description for other people
     * @param matchPolicy see match_policy
     * @param note What the token is for, for your own list
     */
    public record NewBot(
            String name,
            String version,
            String description,
            MatchPolicyInput matchPolicy,
            String note) {
        /** Returns one with the required fields. */
        public static NewBot of(String name) {
            return new NewBot(name, null, null, null, null);
        }

        /** Returns a copy with this version. */
        public NewBot withVersion(String version) {
            return new NewBot(name, version, description, matchPolicy, note);
        }

        /** Returns a copy with this description. */
        public NewBot withDescription(String description) {
            return new NewBot(name, version, description, matchPolicy, note);
        }

        /** Returns a copy with this matchPolicy. */
        public NewBot withMatchPolicy(MatchPolicyInput matchPolicy) {
            return new NewBot(name, version, description, matchPolicy, note);
        }

        /** Returns a copy with this note. */
        public NewBot withNote(String note) {
            return new NewBot(name, version, description, matchPolicy, note);
        }
    }

    /**
     * A casual match.
     * @param game As in `GET /v1/games`
     * @param options see options
     * @param clock see clock
     * @param dealer The first dealer; drawn by lot if left out
     * @param entropy Printable characters of your choice that enter the shuffle
     * @param seats The bots by seat, as `owner/bot`. Null is an open seat that any bot may join. A
     *     remote bot can have only one seat, a house bot several
     * @param deals The number of deals, by default 1. Not for games with a fixed number
     */
    public record NewMatch(
            GameId game,
            Object options,
            Clock clock,
            Integer dealer,
            String entropy,
            List<String> seats,
            Integer deals) {
        /** Returns one with the required fields. */
        public static NewMatch of(GameId game, List<String> seats) {
            return new NewMatch(game, null, null, null, null, seats, null);
        }

        /** Returns a copy with this options. */
        public NewMatch withOptions(Object options) {
            return new NewMatch(game, options, clock, dealer, entropy, seats, deals);
        }

        /** Returns a copy with this clock. */
        public NewMatch withClock(Clock clock) {
            return new NewMatch(game, options, clock, dealer, entropy, seats, deals);
        }

        /** Returns a copy with this dealer. */
        public NewMatch withDealer(Integer dealer) {
            return new NewMatch(game, options, clock, dealer, entropy, seats, deals);
        }

        /** Returns a copy with this entropy. */
        public NewMatch withEntropy(String entropy) {
            return new NewMatch(game, options, clock, dealer, entropy, seats, deals);
        }

        /** Returns a copy with this deals. */
        public NewMatch withDeals(Integer deals) {
            return new NewMatch(game, options, clock, dealer, entropy, seats, deals);
        }
    }

    /**
     * A new owner.
     * @param name 2 to 32 characters of a-z, 0-9 and -; the first is not -. `name_taken` refuses
     *     reserved words (admin, administrator, anonymous, house, kozyr, moderator, official, operator,
     *     root, security, server, service, staff, support, system) and names that read like one: digits
     *     for letters, hyphens, a number before or after it
     * @param invitation An invitation's code, if registration requires one
     * @param note What the token is for, for your own list
     */
    public record NewOwner(
            String name,
            String invitation,
            String note) {
        /** Returns one with the required fields. */
        public static NewOwner of(String name) {
            return new NewOwner(name, null, null);
        }

        /** Returns a copy with this invitation. */
        public NewOwner withInvitation(String invitation) {
            return new NewOwner(name, invitation, note);
        }

        /** Returns a copy with this note. */
        public NewOwner withNote(String note) {
            return new NewOwner(name, invitation, note);
        }
    }

    /**
     * The schema Owner of the API.
     * @param id The owner's id
     * @param name The owner's name
     * @param created When it was created
     * @param disabled Whether it is disabled: its tokens don't work
     * @param reason Why it is disabled
     */
    public record Owner(
            String id,
            String name,
            Instant created,
            boolean disabled,
            String reason) {}

    /**
     * An RFC 9457 problem document. Fields after `request_id` appear only where they help.
     * @param type The page that explains the problem
     * @param title A short title, the same for each `code`
     * @param status see status
     * @param detail What was wrong with this request
     * @param code see code
     * @param retryable Whether the same request may succeed when it is sent again unchanged
     * @param requestId Identifies the request; quote it to the operator
     * @param supported The content types that the path supports
     * @param errors What is wrong with each field or parameter
     * @param field The field that is wrong
     * @param expected The expected value, in words
     * @param scope The required scope
     * @param legalMoves The legal moves of the turn
     * @param freeMoves The free moves that you may make now
     * @param deal The deal to send a free move with
     * @param turn The current turn of the match
     * @param view The match as you see it now
     * @param openSeats The seats still open
     * @param ending How the match ended
     * @param retryMs Milliseconds to wait before retrying
     * @param limit Which of the `rates` of `GET /v1/limits` was exceeded
     * @param round The round that is running
     * @param state The ladder's state
     * @param bot The bot that can't be seated
     * @param reason disabled; game, clock, kind or owner: its match policy excludes the game, the
     *     clock, the kind of match or the owner of another bot at the table; busy: it has as many matches
     *     as it accepts. The others say why a ladder refuses an entry; unchecked: it requires a
     *     conformance check
     * @param why Why the ladder's owner banned the bot, in the owner's words
     * @param matchPolicy The bot's match policy
     */
    public record Problem(
            String type,
            String title,
            int status,
            String detail,
            ProblemCode code,
            boolean retryable,
            String requestId,
            List<String> supported,
            Map<String, List<String>> errors,
            String field,
            String expected,
            String scope,
            List<String> legalMoves,
            List<String> freeMoves,
            Integer deal,
            Integer turn,
            Match view,
            List<Integer> openSeats,
            String ending,
            Integer retryMs,
            String limit,
            Integer round,
            String state,
            String bot,
            String reason,
            String why,
            MatchPolicy matchPolicy) {}

    /**
     * What is wrong. Later releases may have more codes
     */
    public record ProblemCode(@JsonValue String value) {
        public static final ProblemCode BAD_REQUEST = new ProblemCode("bad_request");
        public static final ProblemCode BAD_JSON = new ProblemCode("bad_json");
        public static final ProblemCode BAD_CURSOR = new ProblemCode("bad_cursor");
        public static final ProblemCode BODY_CUT_SHORT = new ProblemCode("body_cut_short");
        public static final ProblemCode NOT_FOUND = new ProblemCode("not_found");
        public static final ProblemCode METHOD_NOT_ALLOWED = new ProblemCode("method_not_allowed");
        public static final ProblemCode NOT_ACCEPTABLE = new ProblemCode("not_acceptable");
        public static final ProblemCode BODY_TIMEOUT = new ProblemCode("body_timeout");
        public static final ProblemCode BODY_TOO_LARGE = new ProblemCode("body_too_large");
        public static final ProblemCode WRONG_CONTENT_TYPE = new ProblemCode("wrong_content_type");
        public static final ProblemCode ENCODED_BODY = new ProblemCode("encoded_body");
        public static final ProblemCode RANGE_NOT_SATISFIABLE = new ProblemCode("range_not_satisfiable");
        public static final ProblemCode INVALID_BODY = new ProblemCode("invalid_body");
        public static final ProblemCode INVALID_QUERY = new ProblemCode("invalid_query");
        public static final ProblemCode INVALID_HEADER = new ProblemCode("invalid_header");
        public static final ProblemCode TOKEN_MISSING = new ProblemCode("token_missing");
        public static final ProblemCode TOKEN_INVALID = new ProblemCode("token_invalid");
        public static final ProblemCode SCOPE_MISSING = new ProblemCode("scope_missing");
        public static final ProblemCode WRONG_TOKEN_KIND = new ProblemCode("wrong_token_kind");
        public static final ProblemCode BAD_INVITATION = new ProblemCode("bad_invitation");
        public static final ProblemCode NOT_YOUR_BOT = new ProblemCode("not_your_bot");
        public static final ProblemCode NOT_YOUR_MATCH = new ProblemCode("not_your_match");
        public static final ProblemCode NOT_YOUR_LADDER = new ProblemCode("not_your_ladder");
        public static final ProblemCode NOT_YOUR_TOKEN = new ProblemCode("not_your_token");
        public static final ProblemCode NO_SUCH_GAME = new ProblemCode("no_such_game");
        public static final ProblemCode NO_SUCH_MATCH = new ProblemCode("no_such_match");
        public static final ProblemCode NO_SUCH_OWNER = new ProblemCode("no_such_owner");
        public static final ProblemCode NO_SUCH_BOT = new ProblemCode("no_such_bot");
        public static final ProblemCode NO_SUCH_TOKEN = new ProblemCode("no_such_token");
        public static final ProblemCode NO_SUCH_CHECK = new ProblemCode("no_such_check");
        public static final ProblemCode NO_SUCH_GROUP = new ProblemCode("no_such_group");
        public static final ProblemCode NO_SUCH_LADDER = new ProblemCode("no_such_ladder");
        public static final ProblemCode NO_SUCH_PRESET = new ProblemCode("no_such_preset");
        public static final ProblemCode NO_SUCH_ROUND = new ProblemCode("no_such_round");
        public static final ProblemCode NO_SUCH_SEASON = new ProblemCode("no_such_season");
        public static final ProblemCode NO_SUCH_WEBHOOK = new ProblemCode("no_such_webhook");
        public static final ProblemCode NO_SUCH_MESSAGE = new ProblemCode("no_such_message");
        public static final ProblemCode NO_SUCH_REVIEW = new ProblemCode("no_such_review");
        public static final ProblemCode NOT_QUEUED = new ProblemCode("not_queued");
        public static final ProblemCode NO_BRACKET = new ProblemCode("no_bracket");
        public static final ProblemCode STALE_TURN = new ProblemCode("stale_turn");
        public static final ProblemCode NOT_YOUR_TURN = new ProblemCode("not_your_turn");
        public static final ProblemCode MATCH_NOT_RUNNING = new ProblemCode("match_not_running");
        public static final ProblemCode MATCH_OVER = new ProblemCode("match_over");
        public static final ProblemCode SEAT_TAKEN = new ProblemCode("seat_taken");
        public static final ProblemCode ALREADY_SEATED = new ProblemCode("already_seated");
        public static final ProblemCode NOT_JOINABLE = new ProblemCode("not_joinable");
        public static final ProblemCode RECORD_NOT_READY = new ProblemCode("record_not_ready");
        public static final ProblemCode GROUP_RUNNING = new ProblemCode("group_running");
        public static final ProblemCode BOT_UNAVAILABLE = new ProblemCode("bot_unavailable");
        public static final ProblemCode ALREADY_QUEUED = new ProblemCode("already_queued");
        public static final ProblemCode NAME_TAKEN = new ProblemCode("name_taken");
        public static final ProblemCode WRONG_LADDER_STATE = new ProblemCode("wrong_ladder_state");
        public static final ProblemCode ENTRY_REFUSED = new ProblemCode("entry_refused");
        public static final ProblemCode NOT_RERUNNABLE = new ProblemCode("not_rerunnable");
        public static final ProblemCode ROUND_RUNNING = new ProblemCode("round_running");
        public static final ProblemCode NOTHING_TO_PLAY = new ProblemCode("nothing_to_play");
        public static final ProblemCode SEASON_EMPTY = new ProblemCode("season_empty");
        public static final ProblemCode IDEMPOTENCY_KEY_IN_FLIGHT = new ProblemCode("idempotency_key_in_flight");
        public static final ProblemCode IDEMPOTENCY_KEY_REUSED = new ProblemCode("idempotency_key_reused");
        public static final ProblemCode BAD_VALUE = new ProblemCode("bad_value");
        public static final ProblemCode RATE_LIMITED = new ProblemCode("rate_limited");
        public static final ProblemCode TOO_MANY_REVIEWS = new ProblemCode("too_many_reviews");
        public static final ProblemCode BAD_TABLE = new ProblemCode("bad_table");
        public static final ProblemCode NOT_A_MOVE = new ProblemCode("not_a_move");
        public static final ProblemCode FREE_MOVE_WITH_TURN = new ProblemCode("free_move_with_turn");
        public static final ProblemCode ILLEGAL_MOVE = new ProblemCode("illegal_move");
        public static final ProblemCode MATCH_UNREADABLE = new ProblemCode("match_unreadable");
        public static final ProblemCode INTERNAL_ERROR = new ProblemCode("internal_error");
        public static final ProblemCode BUSY = new ProblemCode("busy");
        public static final ProblemCode EVENTS_NOT_READY = new ProblemCode("events_not_ready");
        public static final ProblemCode OVERTAKEN = new ProblemCode("overtaken");
        public static final ProblemCode SERVICE_PAUSED = new ProblemCode("service_paused");
        public static final ProblemCode SERVICE_DRAINING = new ProblemCode("service_draining");
        public static final ProblemCode STORAGE_FULL = new ProblemCode("storage_full");
        public static final ProblemCode STORE_UNAVAILABLE = new ProblemCode("store_unavailable");

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public ProblemCode {}

        @Override
        public String toString() {
            return value;
        }
    }

    /**
     * A bot's place in the queue.
     * @param id Names the entry
     * @param state `waiting`; `matched`: it has a match; `left`: the bot left; `dropped`: the service
     *     removed it
     * @param reason Why it was dropped. `gone`: the bot was offline; `disabled`; `policy`: its match
     *     policy no longer accepts these terms; `failed`: the match could not be created
     * @param match Its match, once there is one
     * @param game As in `GET /v1/games`
     * @param seats The number of seats
     * @param options Every option that applies, defaults too
     * @param preset The preset whose ratings count
     * @param deals The number of deals
     * @param clock see clock
     * @param rating The bot's rating when it joined; 1500 if unrated
     * @param ratingBand As requested
     * @param bandGrowth As requested
     * @param joined When the bot joined
     * @param ended When it was matched, left or was dropped
     */
    public record QueueEntry(
            String id,
            String state,
            String reason,
            String match,
            String game,
            int seats,
            Map<String, Object> options,
            String preset,
            int deals,
            ClockRule clock,
            double rating,
            Integer ratingBand,
            int bandGrowth,
            Instant joined,
            Instant ended) {}

    /**
     * The schema Rate of the API.
     * @param limit The number of requests
     * @param windowS The length of the window in seconds
     */
    public record Rate(
            int limit,
            int windowS) {}

    /**
     * A refused move of a batch.
     * @param match The match in the request
     * @param turn The turn in the request; null for a free move
     * @param move The move in the request
     * @param problem see problem
     */
    public record RefusedMove(
            String match,
            Integer turn,
            String move,
            Problem problem) {}

    /**
     * The schema SeatClock of the API.
     * @param bankMs The remaining bank
     * @param strikes Timeouts so far
     */
    public record SeatClock(
            int bankMs,
            int strikes) {}

    /**
     * The bot in a seat. Until a duplicate group ends, each seat is hidden the names of other remote
     * bots.
     * @param bot `owner/bot`; null while its name is hidden
     * @param id The bot's id, which never changes; null while its name is hidden
     * @param version The bot's version when the match was made; null while its name is hidden
     * @param person A person plays; absent for a bot. Such a match counts in no rating or standing
     */
    public record SeenSeat(
            String bot,
            String id,
            String version,
            Boolean person) {}

    /**
     * running; draining: existing matches are played out and nothing new is created; paused: all
     * clocks stand still, moves cost no time, and nothing new is created
     */
    public record ServiceState(@JsonValue String value) {
        public static final ServiceState RUNNING = new ServiceState("running");
        public static final ServiceState DRAINING = new ServiceState("draining");
        public static final ServiceState PAUSED = new ServiceState("paused");

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public ServiceState {}

        @Override
        public String toString() {
            return value;
        }
    }

    /**
     * What one seat, or a spectator, sees of a deal of Svoi Kozyri.
     * @param game see game
     * @param deal This deal's number in the match, from 1
     * @param deals The number of deals in the match
     * @param dealer The dealer of this deal
     * @param scores Points of the finished deals, by seat
     * @param seat The seat that sees this; null for a spectator
     * @param toMove The seat that is asked; null when the deal is over
     * @param question What is asked: lead (a card to the empty pile), beat (the top card, or pick
     *     up), free_lead (a card on top of the pile, whatever lies there); null when the deal is over
     * @param hand Your cards, by rank, then by suit; empty for a spectator
     * @param handSizes The number of cards in each hand, by seat
     * @param pile Cards in the pile
     * @param top The top card of the pile; null when there is no pile
     * @param pickup The cards that a pickup would bring, the top card first; null unless you are
     *     asked to beat
     * @param under The card right under those of `pickup`, which would be the new top; null if there
     *     is none, or unless you are asked to beat
     * @param known By seat, the cards that everybody knows to lie in that hand: picked up or shown in
     *     sight of all
     * @param out The seats that have got rid of all their cards
     * @param movesMade Moves made in this deal, exchanges among them
     * @param turnLimit At this number of moves the deal is a draw
     * @param trumps By seat, the suit of that player's trumps
     * @param lowestRank The lowest rank of the pack
     * @param wholePile Whether a pickup always takes the whole pile
     * @param given The cards that were given to the owners of their suits after the deal
     * @param hands All hands where they lie open, by seat; null where they do not
     * @param legalMoves The legal moves of this turn; send one with `turn`. Empty if it is not your
     *     turn
     * @param freeMoves The free moves that you may make now, whether or not it is your turn; send one
     *     with `deal`. Empty for a spectator
     */
    public record SvoiKozyriObservation(
            String game,
            int deal,
            int deals,
            int dealer,
            List<Integer> scores,
            Integer seat,
            Integer toMove,
            String question,
            List<String> hand,
            List<Integer> handSizes,
            int pile,
            String top,
            List<String> pickup,
            String under,
            List<List<String>> known,
            List<Integer> out,
            int movesMade,
            int turnLimit,
            List<String> trumps,
            String lowestRank,
            boolean wholePile,
            List<Map<String, Object>> given,
            List<List<String>> hands,
            List<String> legalMoves,
            List<String> freeMoves) {}

    /**
     * The options of svoi_kozyri. Omitted options have their defaults.
     * @param trumps The suit of each player's trumps, one letter a seat, all different, as in `SC`.
     *     By default the first letters of `SCDH`.
     * @param layout `dealt`: the cards as they fall, then each lowest card to the owner of its suit.
     *     `besikovich`: two players, open hands that mirror each other. Default: `dealt`
     * @param pickup `modern`: three cards, five or the whole pile, by the top card. `whole_pile`:
     *     always the whole pile. By default `modern`; with the layout `besikovich` it is `whole_pile` and
     *     nothing else.
     * @param lowestRank The rank at which the pack begins, each suit going up to the ace. Default:
     *     `6`
     * @param turnLimit A deal without a result after this many moves is a draw. Default: `1000`
     */
    public record SvoiKozyriOptions(
            String trumps,
            String layout,
            String pickup,
            String lowestRank,
            Integer turnLimit) {
        /** Returns one with the required fields. */
        public static SvoiKozyriOptions of() {
            return new SvoiKozyriOptions(null, null, null, null, null);
        }

        /** Returns a copy with this trumps. */
        public SvoiKozyriOptions withTrumps(String trumps) {
            return new SvoiKozyriOptions(trumps, layout, pickup, lowestRank, turnLimit);
        }

        /** Returns a copy with this layout. */
        public SvoiKozyriOptions withLayout(String layout) {
            return new SvoiKozyriOptions(trumps, layout, pickup, lowestRank, turnLimit);
        }

        /** Returns a copy with this pickup. */
        public SvoiKozyriOptions withPickup(String pickup) {
            return new SvoiKozyriOptions(trumps, layout, pickup, lowestRank, turnLimit);
        }

        /** Returns a copy with this lowestRank. */
        public SvoiKozyriOptions withLowestRank(String lowestRank) {
            return new SvoiKozyriOptions(trumps, layout, pickup, lowestRank, turnLimit);
        }

        /** Returns a copy with this turnLimit. */
        public SvoiKozyriOptions withTurnLimit(Integer turnLimit) {
            return new SvoiKozyriOptions(trumps, layout, pickup, lowestRank, turnLimit);
        }
    }

    /**
     * The schema TurnList of the API.
     * @param turns Your open turns that `since` does not cover
     * @param finished Matches of yours that are over
     * @param since Send it with your next request
     * @param service see service
     */
    public record TurnList(
            List<Turn> turns,
            List<FinishedMatch> finished,
            String since,
            ServiceState service) {}
}
