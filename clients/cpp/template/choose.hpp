#pragma once

#include <kozyr/client.hpp>
#include <string>

/// Returns one of the turn's legal moves. It runs for several matches at a time.
std::string choose(const kozyr::Turn& turn);

/// Says how dear the cards of a move are: "attack 7H" is cheap, a move with a trump is dear. A move
/// without cards, such as "take" or "pass", is the last resort.
int cost(const std::string& move, const std::string& trump);
