/// JSON of the types that nlohmann::json does not know: optionals, times, and observations.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace kozyr {

/// A moment of service time.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// A field in which null, `nullptr`, means something else than leaving the field out.
template <typename T>
using Nullable = std::variant<std::nullptr_t, T>;

/// All that a seat sees. `decode` gives the fields of the game.
struct Observation {
    std::string game;
    std::vector<std::string> legal_moves;
    std::vector<std::string> free_moves;
    nlohmann::json raw;

    /// Returns the observation as that of a game, such as `types::DurakObservation`.
    template <typename T>
    T decode() const {
        return raw.get<T>();
    }
};
inline void from_json(const nlohmann::json& from, Observation& to) {
    from.at("game").get_to(to.game);
    from.at("legal_moves").get_to(to.legal_moves);
    from.at("free_moves").get_to(to.free_moves);
    to.raw = from;
}

namespace detail {

/// Reads a time such as `2026-11-22T04:34:10.280Z`. Throws std::invalid_argument.
Timestamp parse_time(const std::string& text);

template <typename T>
void decode(const nlohmann::json& from, T& to) {
    from.get_to(to);
}
inline void decode(const nlohmann::json& from, Timestamp& to) { to = parse_time(from.get<std::string>()); }
template <typename T>
void decode(const nlohmann::json& from, std::optional<T>& to);
template <typename... T>
void decode(const nlohmann::json& from, std::tuple<T...>& to);
template <typename T>
void decode(const nlohmann::json& from, std::map<std::string, T>& to);

template <typename T>
void decode(const nlohmann::json& from, std::vector<T>& to) {
    to.clear();
    for (const auto& item : from) {
        T value{};
        decode(item, value);
        to.push_back(std::move(value));
    }
}
template <typename T>
void decode(const nlohmann::json& from, std::optional<T>& to) {
    to.reset();
    if (!from.is_null()) {
        decode(from, to.emplace());
    }
}
template <typename T>
void decode(const nlohmann::json& from, std::optional<Nullable<T>>& to) {
    to = nullptr;
    if (!from.is_null()) {
        decode(from, to->template emplace<T>());
    }
}
template <typename... T>
void decode(const nlohmann::json& from, std::tuple<T...>& to) {
    std::apply([&from, i = std::size_t{0}](T&... field) mutable { (decode(from.at(i++), field), ...); }, to);
}
template <typename T>
void decode(const nlohmann::json& from, std::map<std::string, T>& to) {
    to.clear();
    for (const auto& [key, value] : from.items()) {
        decode(value, to[key]);
    }
}

template <typename T>
nlohmann::json encode(const T& from) {
    return from;
}
template <typename T>
nlohmann::json encode(const std::optional<T>& from) {
    return from ? encode(*from) : nlohmann::json();
}
template <typename T>
nlohmann::json encode(const Nullable<T>& from) {
    const auto* value = std::get_if<T>(&from);
    return value == nullptr ? nlohmann::json() : encode(*value);
}
template <typename T>
nlohmann::json encode(const std::vector<T>& from) {
    auto array = nlohmann::json::array();
    for (const auto& item : from) {
        array.push_back(encode(item));
    }
    return array;
}

/// Reads a field. One that is absent is an error, unless it is optional.
template <typename T>
void decode_field(const nlohmann::json& from, const char* name, T& to) {
    decode(from.at(name), to);
}
template <typename T>
void decode_field(const nlohmann::json& from, const char* name, std::optional<T>& to) {
    const auto found = from.find(name);
    to.reset();
    if (found != from.end()) {
        decode(*found, to);
    }
}

/// Writes a field, unless it is optional and has no value.
template <typename T>
void encode_field(nlohmann::json& to, const char* name, const T& from) {
    to[name] = encode(from);
}
template <typename T>
void encode_field(nlohmann::json& to, const char* name, const std::optional<T>& from) {
    if (from) {
        to[name] = encode(*from);
    }
}

}  // namespace detail
}  // namespace kozyr
