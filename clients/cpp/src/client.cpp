#include "kozyr/client.hpp"

#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "http.hpp"

namespace kozyr {
namespace {

std::string join(const std::vector<std::string>& words) {
    std::string joined;
    for (const auto& word : words) {
        joined += (joined.empty() ? "" : ", ") + word;
    }
    return joined;
}

std::string describe(long status, const std::optional<types::Problem>& problem) {
    if (!problem) {
        return "http_" + std::to_string(status) + ": the response is not one of Kozyr; check the address of the service";
    }
    const auto errors = problem->errors ? " " + nlohmann::json(*problem->errors).dump() : "";
    return problem->code + ": " + problem->detail + errors;
}

}  // namespace

Timestamp detail::parse_time(const std::string& text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, length = 0;
    const char* format = "%d-%d-%dT%d:%d:%d%n";
    if (std::sscanf(text.c_str(), format, &year, &month, &day, &hour, &minute, &second, &length) != 6) {
        throw std::invalid_argument(text + " is not a time");
    }
    // Not as a floating-point number, which has a decimal comma in some locales.
    std::chrono::microseconds fraction(0);
    if (const char* digit = text.c_str() + length; *digit == '.') {
        for (int unit = 100'000; unit > 0 && std::isdigit(static_cast<unsigned char>(*++digit)); unit /= 10) {
            fraction += std::chrono::microseconds(unit * (*digit - '0'));
        }
    }
    const std::chrono::sys_days date = std::chrono::year(year) / month / day;
    return date + std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second) + fraction;
}

Turn::Turn(types::Turn turn, std::chrono::steady_clock::time_point arrived) : types::Turn(std::move(turn)) {
    // Both are service time, so only their difference counts.
    expires_ = arrived + (deadline ? *deadline - now : std::chrono::years(100));
}

Milliseconds Turn::time_left() const {
    return std::chrono::duration_cast<Milliseconds>(expires_ - std::chrono::steady_clock::now());
}

bool Turn::is_free(const std::string& move) const {
    return contains(free_moves(), move) && !contains(legal_moves(), move);
}

std::string Turn::name() const { return "turn " + std::to_string(turn) + " of " + match; }

Refused::Refused(long status, std::optional<types::Problem> problem)
    : Error(describe(status, problem)), status(status), problem(std::move(problem)) {}

bool Refused::is(std::string_view code) const { return problem && problem->code == code; }

IllegalMove::IllegalMove(const std::string& turn, std::string move, std::vector<std::string> legal_moves)
    : Error("\"" + move + "\" is not legal in " + turn + "; legal: " + join(legal_moves)),
      move(std::move(move)),
      legal_moves(std::move(legal_moves)) {}

Client::Client(std::string url, std::string token) : service_(std::make_shared<Service>()) {
    const auto start = url.starts_with("http://") ? 7u : url.starts_with("https://") ? 8u : 0u;
    if (start == 0 || url.size() == start) {
        throw std::invalid_argument("\"" + url + "\" is not an http address");
    }
    url.erase(url.find_last_not_of('/') + 1);
    token.erase(token.find_last_not_of(" \t\r\n") + 1);
    service_->url = std::move(url);
    service_->token = std::move(token);
    service_->warn = [](std::string_view kind, const std::string& message) {
        std::fprintf(stderr, "kozyr: %.*s: %s\n", static_cast<int>(kind.size()), kind.data(), message.c_str());
    };
}

Client Client::from_environment() {
    const char* url = std::getenv("KOZYR_URL");
    const char* token = std::getenv("KOZYR_TOKEN");
    if (url == nullptr) {
        throw std::invalid_argument("set KOZYR_URL to the address of the service");
    }
    return Client(url, token == nullptr ? "" : token);
}

void Client::on_warning(Warn warn) { service_->warn = std::move(warn); }

nlohmann::json Client::request(const std::string& method, const std::string& path, const nlohmann::json& body,
                               const std::string& idempotency_key) const {
    const Call call{.method = method, .path = path, .body = body, .key = idempotency_key};
    return Connection(service_).send(call, patience_);
}

types::CreatedOwner Client::register_owner(const types::NewOwner& owner) const {
    return decode<types::CreatedOwner>(request("POST", "/v1/owners", owner, new_key()));
}

types::CreatedBot Client::create_bot(const types::NewBot& bot) const {
    return decode<types::CreatedBot>(request("POST", "/v1/bots", bot, new_key()));
}

types::Match Client::create_match(const types::NewMatch& match) const {
    return decode<types::Match>(request("POST", "/v1/matches", match, new_key()));
}

types::Match Client::match(const std::string& id) const {
    return decode<types::Match>(request("GET", "/v1/matches/" + id));
}

void Client::resign(const std::string& id) const { request("POST", "/v1/matches/" + id + "/resign"); }

types::Limits Client::limits() const { return decode<types::Limits>(request("GET", "/v1/limits")); }

std::stop_token stop_on_signals() {
    static std::stop_source source;
    static sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    // The thread waits for signals as long as the process lives.
    std::thread([] {
        int received = 0;
        sigwait(&signals, &received);
        source.request_stop();
    }).detach();
    return source.get_token();
}

}  // namespace kozyr
