#pragma once

#include <curl/curl.h>

#include <chrono>
#include <condition_variable>
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
    /// How long to retry; nothing is for ever.
    std::optional<Milliseconds> patience{};
};

/// The growing pauses between the tries of one request.
class Backoff {
public:
    explicit Backoff(std::optional<Milliseconds> patience);
    /// Returns the next pause, at least as long as asked for, or nothing if patience does not last.
    std::optional<Milliseconds> next(Milliseconds least);

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

/// Waits, and says whether a stop ended the wait.
bool sleep(Milliseconds pause, const std::stop_token& stop);

/// A connection that is kept open. Not safe for threads.
class Connection {
public:
    explicit Connection(std::shared_ptr<Service> service);

    /// Sends a request until it gets a response. Returns nothing if a stop came first.
    std::optional<nlohmann::json> send(const Call& call, const std::stop_token& stop = {});

private:
    struct Response;
    struct Lost;
    nlohmann::json once(const Call& call, const std::stop_token& stop);
    nlohmann::json read(const Call& call, const Response& response);

    std::shared_ptr<Service> service_;
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
};

}  // namespace kozyr
