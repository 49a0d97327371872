#include "http.hpp"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <locale>
#include <random>
#include <sstream>

namespace kozyr {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr Milliseconds FIRST_PAUSE = 100ms;
constexpr Milliseconds LONGEST_PAUSE = 5s;
constexpr Milliseconds LONGEST_RETRY_AFTER = 60s;
/// How much longer than its wait a response may take.
constexpr Milliseconds RESPONSE_MARGIN = 10s;
constexpr const char* USER_AGENT = "kozyr-client-cpp/0.1";

double chance() {
    static thread_local std::mt19937 source{std::random_device{}()};
    return std::uniform_real_distribution<>()(source);
}

std::size_t append(char* data, std::size_t, std::size_t size, void* text) {
    static_cast<std::string*>(text)->append(data, size);
    return size;
}

int aborts(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

/// Returns what a Retry-After header asks for, in seconds; 0 without one.
Milliseconds retry_after(const std::string& header) {
    std::istringstream text(header);
    text.imbue(std::locale::classic());  // That of the process may have a decimal comma.
    double seconds = 0;
    text >> seconds;
    return Milliseconds(std::llround(std::clamp(seconds, 0.0, 60.0) * 1000));
}

constexpr long RETRIED[] = {408, 425, 429, 500, 502, 503, 504};

}  // namespace

std::string new_key() {
    std::random_device source;
    std::string key;
    for (int i = 0; i < 4; ++i) {
        char word[9];
        std::snprintf(word, sizeof word, "%08x", static_cast<unsigned>(source()));
        key += word;
    }
    return key;
}

struct Connection::Response {
    long status = 0;
    std::string body;
    /// The headers, by lower-case name.
    std::map<std::string, std::string> headers;

    static std::size_t add_header(char* data, std::size_t, std::size_t size, void* response) {
        const std::string line(data, size);
        if (const auto colon = line.find(':'); colon != std::string::npos) {
            auto name = line.substr(0, colon);
            std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
            const auto first = line.find_first_not_of(" \t", colon + 1);
            const auto last = line.find_last_not_of(" \t\r\n");
            auto value = first > last ? "" : line.substr(first, last - first + 1);
            static_cast<Response*>(response)->headers[name] = std::move(value);
        }
        return size;
    }

    std::string header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? "" : found->second;
    }
};

Backoff::Backoff(std::optional<Milliseconds> patience) {
    if (patience) {
        until_ = steady_clock::now() + *patience;
    }
}

steady_clock::time_point Backoff::next(const Service& service, const Lost& lost) {
    const auto longest = std::min(LONGEST_PAUSE, FIRST_PAUSE * (1 << std::min(failures_++, 16)));
    const auto asked = std::min(lost.after, LONGEST_RETRY_AFTER);
    const auto pause = std::max(std::chrono::ceil<Milliseconds>(longest * (0.5 + chance() / 2)),
                                std::chrono::ceil<Milliseconds>(asked * (1 + chance() / 10)));
    const auto again = steady_clock::now() + pause;
    if (until_ && again >= *until_) {
        std::rethrow_exception(lost.error);
    }
    service.warn("retry", lost.message + "; retry in " + std::to_string(pause.count()) + " ms");
    return again;
}

Connection::Connection(std::shared_ptr<Service> service)
    : service_(std::move(service)), curl_(curl_easy_init(), &curl_easy_cleanup) {
    if (!curl_) {
        throw Error("libcurl does not start");
    }
}

nlohmann::json Connection::send(const Call& call, Milliseconds patience) {
    Backoff backoff(patience);
    while (true) {
        try {
            return *once(call);
        } catch (const Lost& lost) {
            std::this_thread::sleep_until(backoff.next(*service_, lost));
        }
    }
}

std::optional<nlohmann::json> Connection::once(const Call& call, const std::stop_token& stop) {
    Response response;
    CURL* curl = curl_.get();
    const std::string body = call.body.is_null() ? "" : call.body.dump();
    curl_slist* list = nullptr;
    const auto add = [&list](const std::string& line) { list = curl_slist_append(list, line.c_str()); };
    add("Accept: application/json");
    add("Content-Type: application/json");
    if (!service_->token.empty()) {
        add("Authorization: Bearer " + service_->token);
    }
    if (!call.key.empty()) {
        add("Idempotency-Key: " + call.key);
    }
    const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(list, &curl_slist_free_all);
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, (service_->url + call.path).c_str());
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call.method.c_str());
    if (call.method != "GET") {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
    }
    // If a connection ends that was in use before, libcurl itself sends the request again.
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, call.key.empty() ? 0L : 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl, CURLOPT_USERAGENT, USER_AGENT);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>((call.wait + RESPONSE_MARGIN).count()));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response.body);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Response::add_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
    // libcurl calls this at least once a second.
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &aborts);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &stop);
    if (const CURLcode code = curl_easy_perform(curl); code != CURLE_OK) {
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        throw Lost(Unreachable(std::string("no response: ") + curl_easy_strerror(code)));
    }
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response.status);
    return read(call, response);
}

nlohmann::json Connection::read(const Call& call, const Response& response) {
    const auto route = call.method + " " + call.path;
    if (!response.header("deprecation").empty()) {
        std::unique_lock lock(service_->mutex);
        const bool is_new = service_->deprecated.insert(route).second;
        lock.unlock();
        const auto sunset = response.header("sunset");
        if (is_new) {
            service_->warn("deprecated",
                           route + " is deprecated" + (sunset.empty() ? "" : " and may end on " + sunset));
        }
    }
    const auto json = nlohmann::json::parse(response.body.empty() ? "null" : response.body, nullptr, false);
    if (response.status / 100 == 2) {
        if (json.is_discarded()) {
            throw Unreachable("the response is not JSON; check the address of the service");
        }
        return json;
    }
    if (response.status / 100 == 3) {
        throw Unreachable("http_" + std::to_string(response.status) + ": the service is not at this address, which " +
                          "redirects to \"" + response.header("location") + "\"; set the address of the service");
    }
    std::optional<types::Problem> problem;
    try {
        problem = json.get<types::Problem>();
    } catch (const nlohmann::json::exception&) {
        // A gateway answered, not the service.
    }
    const Refused refused(response.status, problem);
    if (!(problem ? problem->retryable : contains(RETRIED, response.status))) {
        throw refused;
    }
    throw Lost(refused, retry_after(response.header("retry-after")));
}

}  // namespace kozyr
