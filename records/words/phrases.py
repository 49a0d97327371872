"""What a turn in words says in each language. Cards and moves keep the protocol's notation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LANGUAGES: Final = ("en", "ru")

_PAIRS: Final[Mapping[str, tuple[str, str]]] = {
    # The frame
    "head": (
        "{game}, match {match}, turn {turn}, deal {deal} of {deals}. You are seat #{seat} of {seats}. "
        "Dealer: #{dealer}. Scores: {scores}.",
        "{game}, матч {match}, ход {turn}, сдача {deal} из {deals}. Вы: место #{seat} из {seats}. "
        "Сдаёт: #{dealer}. Очки: {scores}.",
    ),
    "since": ("Since you moved:", "После вашего хода:"),
    "since deal": ("So far:", "До сих пор:"),
    "nothing": ("nothing", "ничего"),
    "omitted": ("{count} earlier events are left out", "пропущено более ранних событий: {count}"),
    "question": ("Now: {question}.", "Сейчас: {question}."),
    "hand": ("Your hand", "Ваши карты"),
    "table": ("Table", "Стол"),
    "you": ("you", "вы"),
    "hand size": ("{count} cards", "карт: {count}"),
    "banks": ("banks", "запас"),
    "strikes": ("strikes", "просрочки"),
    "seconds": ("s", "с"),
    "gone": ("Out of sight", "Не видно"),
    "gone durak": ("Discarded", "В отбое"),
    "gone pile": ("Deeper in the pile", "Глубже в стопке"),
    "unseen": ("Unseen", "Не видели"),
    "deduced": ("#{seat} must also hold", "У #{seat} точно есть и"),
    "time": ("Time", "Время"),
    "no limit": ("no limit", "без ограничения"),
    "moves": ("Answer with one move:", "Ответьте одним ходом:"),
    "moves unlisted": (
        "Answer with one move. This match lists none.",
        "Ответьте одним ходом. В этом матче ходы не перечисляются.",
    ),
    "free": ("Also possible:", "Можно также:"),
    "set": ("{letter} one of {cards}", "{letter} одна из {cards}"),
    "another": ("{letter} another card of {cards}", "{letter} другая карта из {cards}"),
    # Results
    "made": ("Match {match}: you played {move}.", "Матч {match}: ваш ход {move} сделан."),
    "refused": (
        "Match {match}: your move was refused ({code}): {detail}.",
        "Матч {match}: ход отклонён ({code}): {detail}.",
    ),
    "played": ("You played {move}{note}.", "Ваш ход {move} сделан{note}."),
    "mended": (" (mended: {mended})", " (исправлено: {mended})"),
    "played before": ("You had already played {move} in turn {turn}.", "Ход {turn} уже сделан: {move}."),
    "not current": (
        "Nothing was played: turn {turn} is not the current one.",
        "Ничего не сыграно: ход {turn} не текущий.",
    ),
    "no turn": ("No turn yet. Call wait.", "Вашего хода пока нет. Вызовите wait."),
    "no turn of any": (
        "No turn yet. Call wait, or start_match if you play none.",
        "Вашего хода пока нет. Вызовите wait или, если вы ни в чём не играете, start_match.",
    ),
    "no opponent": (
        "No opponent yet; you stay in the queue. Call wait.",
        "Соперника пока нет; вы остаётесь в очереди. Вызовите wait.",
    ),
    "running": (
        "Match {match}: {status}, deal {deal} of {deals}. You are seat #{seat}. To move: {mover}. "
        "Scores by seat: {scores}.",
        "Матч {match}: {status}, сдача {deal} из {deals}. Вы: место #{seat}. Ходит: {mover}. "
        "Очки по местам: {scores}.",
    ),
    "nobody": ("nobody", "никто"),
    "mover": ("seat #{seat}", "место #{seat}"),
    "status open": ("open", "ждёт участников"),
    "status waiting": ("waiting", "ждёт"),
    "status running": ("running", "идёт"),
    "over": (
        "Match {match} is over ({ending}). You were seat #{seat}. Scores by seat: {scores}.",
        "Матч {match} окончен ({ending}). Ваше место #{seat}. Очки по местам: {scores}.",
    ),
    "places": ("Places: {places}.", "Занятые места: {places}."),
    "forfeits": ("Forfeited: {seats}.", "Техническое поражение: {seats}."),
    "ending rules": ("played to the end", "доигран"),
    "ending forfeit": ("forfeit", "техническое поражение"),
    "ending resigned": ("resignation", "сдача"),
    "ending aborted": ("aborted", "прерван"),
    "ending void": ("void", "аннулирован"),
    # Fields of observations
    "field trump": ("trump", "козырь"),
    "field trumps": ("trump", "козырь"),
    "field anti_trump": ("suit that no trump beats", "масть, которую козыри не бьют"),
    "field trump_card": ("upturned card", "открытая карта"),
    "field talon": ("talon", "в колоде"),
    "field stock": ("stock", "в колоде"),
    "field discard": ("discarded", "в отбое"),
    "field attacker": ("attacker", "атакует"),
    "field defender": ("defender", "отбивается"),
    "field entitled": ("may attack", "могут атаковать"),
    "field pairs": ("bout (card/beaten by)", "кон (карта/чем побита)"),
    "field taking": ("the defender takes", "отбивающийся берёт"),
    "field room": ("room for attacks", "ещё атак"),
    "field known": ("known", "известны"),
    "field out": ("out", "вышли"),
    "field teams": ("teams", "команды"),
    "field moves_made": ("move", "ход"),
    "field pile": ("pile", "в стопке"),
    "field top": ("top card", "верхняя карта"),
    "field pickup": ("pickup takes", "взять придётся"),
    "field under": ("under it", "под ними"),
    "field lowest_rank": ("lowest rank", "младшая карта"),
    "field whole_pile": ("a pickup takes the whole pile", "берут всю стопку"),
    "field given": ("given (from/to/card)", "отданы (кто/кому/карта)"),
    "field hands": ("hand", "карты"),
    "field contract": ("contract", "игра"),
    "field declared": ("declared", "заказано"),
    "field miser": ("ranks reversed", "старшинство обратное"),
    "field trick": ("trick (seat/card)", "взятка (место/карта)"),
    "field last_trick": ("last trick", "прошлая взятка"),
    "field tricks_taken": ("tricks", "взяток"),
    "field taken": ("took", "взял"),
    "field deal_scores": ("points", "очки"),
    # What is asked
    "ask attack": ("attack", "ходить"),
    "ask throw": ("throw in, or pass", "подкинуть или пропустить"),
    "ask defend": ("beat, or take", "отбиться или взять"),
    "ask give": ("throw in for the taker, or pass", "подкинуть вдогонку или пропустить"),
    "ask exchange": (
        "exchange the lowest trump if you drew it, or pass",
        "обменять младший козырь, если он пришёл, или пропустить",
    ),
    "ask lead": ("lead a card", "начать стопку"),
    "ask beat": ("beat the top card, or pick up", "побить верхнюю карту или взять"),
    "ask free_lead": (
        "lead any card on top of the pile; no pickup",
        "положить любую карту на стопку; брать нельзя",
    ),
    "ask declare": ("declare trumps or a miser", "назначить козырь или мизер"),
    "ask play": ("play a card", "положить карту"),
    # Events that the page of a match does not put into words
    "drew": ("with the upturned {card}", "с открытой картой {card}"),
}

PHRASES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        language: MappingProxyType({key: pair[place] for key, pair in _PAIRS.items()})
        for place, language in enumerate(LANGUAGES)
    }
)
"""By language, the phrases by key."""


def language_of(wanted: str | None) -> str:
    """Return `en` or `ru` for a language tag or an `Accept-Language` header, by its first known language."""
    for part in (wanted or "").lower().split(","):
        code = part.strip()[:2]
        if code in LANGUAGES:
            return code
    return LANGUAGES[0]
