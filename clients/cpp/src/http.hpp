#pragma once

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "kozyr/client.hpp"

namespace kozyr {

/// Where and as whom requests are sent.
struct Service {
    std::string url;
    std::string token;
    Warn warn;
    std::mutex mutex;
    std::set<std::string> deprecated;
};

/// One request, which is sent again until it gets a response.
struct Call {
    std::string method;
    std::string path;
    nlohmann::json body = nullptr;
    /// The Idempotency-Key of a request that creates something.
    std::string key{};
    /// How long the service may wait before it responds.
    Milliseconds wait{0};
};

/// Returns an Idempotency-Key.
std::string new_key();

inline bool contains(const auto& items, const auto& item) { return std::ranges::find(items, item) != std::end(items); }

/// A failure that a retry may mend, after a pause.
struct Lost {
    template <typename E>
    explicit Lost(const E& error, Milliseconds after = Milliseconds(0))
        : error(std::make_exception_ptr(error)), message(error.what()), after(after) {}

    std::exception_ptr error;
    std::string message;
    Milliseconds after;
};

/// The growing pauses between the tries of one request.
class Backoff {
public:
    /// Lasts as long as `patience`; nothing is for ever.
    explicit Backoff(std::optional<Milliseconds> patience);
    /// Returns when to try again: after a growing pause, at least as long as the service asks for.
    /// Throws the error of the last try if patience does not last that long.
    std::chrono::steady_clock::time_point next(const Service& service, const Lost& lost);

private:
    std::optional<std::chrono::steady_clock::time_point> until_;
    int failures_ = 0;
};

/// Returns a response as a type of the contract. Throws Unreachable if it does not fit.
template <typename T>
T decode(const nlohmann::json& response) {
    try {
        return response.get<T>();
    } catch (const nlohmann::json::exception& why) {
        throw Unreachable(std::string("the response does not fit; check the address and version of the service: ") +
                          why.what());
    }
}

/// A connection that is kept open. Not safe for threads.
class Connection {
public:
    explicit Connection(std::shared_ptr<Service> service);

    /// Sends a request until it gets a response.
    nlohmann::json send(const Call& call, Milliseconds patience);

    /// Sends a request once. Throws Lost if another try may help. Returns nothing if a stop came first.
    std::optional<nlohmann::json> once(const Call& call, const std::stop_token& stop = {});

private:
    struct Response;
    nlohmann::json read(const Call& call, const Response& response);

    std::shared_ptr<Service> service_;
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
};

}  // namespace kozyr
