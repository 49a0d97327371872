// Replays the wire fixtures of the repository: clients/fixtures/README.md.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <kozyr/client.hpp>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

namespace {

using namespace std::chrono_literals;
using kozyr::Client;
using kozyr::PlayOptions;
using kozyr::Turn;

const std::filesystem::path REPOSITORY = KOZYR_REPOSITORY;
const std::filesystem::path FIXTURES = REPOSITORY / "clients/fixtures";

nlohmann::json read(const std::string& name) {
    std::ifstream file(FIXTURES / (name + ".json"));
    return nlohmann::json::parse(file);
}

/// The server of a fixture: tests/clients/replay.py.
class Replay {
public:
    /// Takes the name of a fixture, or its path without `.json`.
    explicit Replay(const std::string& name, std::vector<std::string> arguments = {}) {
        const auto script = (REPOSITORY / "tests/clients/replay.py").string();
        arguments.insert(arguments.begin(), {"python3", script, (FIXTURES / (name + ".json")).string()});
        std::vector<char*> argv;
        for (auto& argument : arguments) {
            argv.push_back(argument.data());
        }
        argv.push_back(nullptr);
        int input[2], output[2];
        if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipe");
        }
        process_ = fork();
        if (process_ == 0) {
            dup2(input[0], STDIN_FILENO);
            dup2(output[1], STDOUT_FILENO);
            execvp(argv[0], argv.data());
            _exit(127);
        }
        close(input[0]);
        close(output[1]);
        input_ = input[1];
        output_ = fdopen(output[0], "r");
        url = line();
    }
    ~Replay() { finish(); }

    std::string line() {
        char text[100'000];
        const std::string read = std::fgets(text, sizeof text, output_) == nullptr ? "" : text;
        return read.substr(0, read.find('\n'));
    }

    Client client() const {
        Client client(url, "kozyr_fixture");
        client.on_warning([](auto, auto&) {});
        return client;
    }

    /// Ends the server.
    void end() {
        if (input_ >= 0) {
            close(std::exchange(input_, -1));
        }
    }

    /// Fails if the client made a mistake.
    void check() {
        EXPECT_EQ(finish(), "");
    }

    std::string url;

private:
    std::string finish() {
        if (process_ == 0) {
            return "";
        }
        end();
        std::string mistakes;
        for (auto mistake = line(); !mistake.empty(); mistake = line()) {
            mistakes += mistake + "\n";
        }
        std::fclose(output_);
        int status = 0;
        waitpid(std::exchange(process_, 0), &status, 0);
        return mistakes + (status != 0 && mistakes.empty() ? "the replayer failed" : "");
    }

    pid_t process_ = 0;
    int input_ = -1;
    std::FILE* output_ = nullptr;
};

/// A fixture that a test has edited.
struct Edited {
    explicit Edited(const nlohmann::json& fixture) { std::ofstream(name + ".json") << fixture; }
    ~Edited() { std::filesystem::remove(name + ".json"); }

    std::string name = testing::TempDir() + "kozyr-edited-" + std::to_string(getpid());
};

/// Returns the first requests of `finds_opponents`, after which the bot leaves the queue.
nlohmann::json leaving(int after) {
    auto fixture = read("finds_opponents");
    auto& exchanges = fixture["exchanges"];
    exchanges.erase(exchanges.begin() + after, exchanges.end() - 1);
    return fixture;
}

nlohmann::json refusal(int status, const std::string& code, bool retryable) {
    const nlohmann::json body{{"type", ""}, {"title", ""}, {"status", status}, {"detail", ""},
                              {"code", code}, {"retryable", retryable}, {"request_id", ""}};
    return {{"status", status}, {"body", body}};
}

std::string first_legal(const Turn& turn) { return turn.legal_moves().front(); }

/// Options with which the dialogue does not depend on the speed of the machine.
PlayOptions patient(std::stop_token stop = {}) { return {.stop = stop, .gather = 20s, .poll = 20s}; }

/// Stops, and returns when the turn is over, so that its move comes too late to be delivered.
void stop_and_wait(std::stop_source& source, const Turn& turn) {
    source.request_stop();
    while (!turn.is_over()) {
        std::this_thread::yield();
    }
}

class Fixture : public testing::TestWithParam<std::string> {};

TEST_P(Fixture, IsFollowedByTheClient) {
    const auto fixture = read(GetParam());
    Replay replay(GetParam());
    std::mutex mutex;
    std::set<std::string> warnings;
    std::vector<std::string> chosen, finished;
    nlohmann::json error;

    auto options = patient();
    options.matches = fixture["play"]["matches"];
    options.first_legal = fixture["play"]["on_illegal"] == "first";
    kozyr::detail::decode_field(fixture["play"], "find", options.find);
    options.on_finished = [&](const auto& match) { finished.push_back(match.match); };
    auto client = replay.client();
    client.on_warning([&](auto kind, auto&) { warnings.emplace(kind); });
    const auto choose = [&](const Turn& turn) {
        const auto key = turn.match + "/" + std::to_string(turn.turn);
        const auto choice = fixture["choices"].at(key);
        std::unique_lock lock(mutex);
        chosen.push_back(key);
        lock.unlock();
        std::this_thread::sleep_for(kozyr::Milliseconds(choice.value("delay_ms", 0)));
        return choice["move"].get<std::string>();
    };
    try {
        client.play(choose, options);
    } catch (const kozyr::Refused& refused) {
        error = {{"code", refused.problem ? refused.problem->code : ""}, {"status", refused.status}};
    }

    replay.check();
    EXPECT_EQ(error, fixture["expect"]["error"]);
    EXPECT_EQ(finished, fixture["expect"]["finished"].get<std::vector<std::string>>());
    std::vector<std::string> expected;
    for (const auto& [key, choice] : fixture["choices"].items()) {
        expected.push_back(key);
    }
    std::ranges::sort(chosen);
    std::ranges::sort(expected);
    EXPECT_EQ(chosen, expected);
    if (warnings.contains("late")) {
        warnings.insert("near_deadline");  // On a slow machine both moves are late.
    }
    for (const std::string kind : fixture["expect"]["warnings"]) {
        EXPECT_TRUE(warnings.contains(kind)) << kind;
    }
}

std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(FIXTURES)) {
        if (file.path().extension() == ".json") {
            names.push_back(file.path().stem());
        }
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Wire, Fixture, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

TEST(Play, EndsAfterAnIllegalMove) {
    Replay replay("illegal_move");
    try {
        replay.client().play([](const Turn&) { return "nonsense"; }, patient());
        FAIL() << "the move is accepted";
    } catch (const kozyr::IllegalMove& illegal) {
        EXPECT_EQ(illegal.move, "nonsense");
        EXPECT_FALSE(illegal.legal_moves.empty());
    }
}

TEST(Play, EndsAfterAnExceptionOfTheBot) {
    Replay replay("normal_play");
    const auto choose = [](const Turn&) -> std::string { throw std::domain_error("a bug in the bot"); };
    EXPECT_THROW(replay.client().play(choose, patient()), std::domain_error);
}

TEST(Play, TellsTheBotOfAStop) {
    Replay replay("normal_play");
    std::stop_source source;
    bool told = false;
    const auto choose = [&](const Turn& turn) {
        stop_and_wait(source, turn);
        told = true;
        return first_legal(turn);
    };
    replay.client().play(choose, patient(source.get_token()));
    EXPECT_TRUE(told);
}

void stop_when_held(Replay&& replay, const std::optional<kozyr::types::JoinQueue>& find = {}) {
    std::stop_source source;
    auto options = patient(source.get_token());
    options.find = find;
    auto playing = std::async(std::launch::async, [&] {
        const std::shared_ptr<void> played(nullptr, [&](auto) { replay.end(); });  // Even if no request was held.
        replay.client().play(first_legal, options);
    });
    EXPECT_EQ(replay.line(), "held");
    source.request_stop();
    playing.get();
    replay.check();
}

TEST(Play, EndsAWaitingPollAfterAStop) { stop_when_held(Replay("normal_play", {"--first", "1", "--hold", "1"})); }

TEST(Play, SendsTheMovesOfAWaitingRequestAgainAfterAStop) {
    stop_when_held(Replay("normal_play", {"--first", "3", "--hold", "2", "--stops"}));
}

TEST(Play, LeavesTheQueueAfterAStop) {
    const auto fixture = leaving(6);
    stop_when_held(Replay(Edited(fixture).name, {"--hold", "6"}), fixture["play"]["find"]);
}

TEST(Play, LeavesTheQueueIfAStopComesWhileItsJoinIsLostEvenIfItNeverJoined) {
    auto fixture = leaving(2);
    fixture["exchanges"][2]["response"] = refusal(404, "not_queued", false);
    Replay replay(Edited(fixture).name);
    std::stop_source source;
    auto client = replay.client();
    client.on_warning([&](auto, auto&) { source.request_stop(); });
    auto options = patient(source.get_token());
    options.find = fixture["play"]["find"];
    client.play(first_legal, options);
    replay.check();
}

TEST(Play, PlaysItsMatchesWhileTheQueueRefusesIt) {
    auto fixture = read("match_ends");
    auto queue = leaving(2);
    auto& exchanges = fixture["exchanges"];
    for (std::size_t i = 1; i < exchanges.size(); ++i) {
        exchanges[i]["request"]["body"]["wait"] = 2;
    }
    queue["exchanges"][1]["response"] = refusal(503, "service_draining", true);
    queue["exchanges"][1]["response"]["headers"] = {{"Retry-After", "1.5"}};
    for (const int index : {9, 5, 2, 1}) {  // Before the first poll, and after each match that ends.
        exchanges.insert(exchanges.begin() + index, queue["exchanges"][1]);
    }
    exchanges.push_back(queue["exchanges"][2]);
    Replay replay(Edited(fixture).name);
    auto options = patient();
    options.matches = 3;
    options.find = queue["play"]["find"];
    replay.client().play(first_legal, options);
    replay.check();
}

/// Fails unless the wish is sent as this body, and the body is read as the same wish.
void expect_sent(const kozyr::types::JoinQueue& wish, const nlohmann::json& body) {
    EXPECT_EQ(body.get<kozyr::types::JoinQueue>().rating_band, wish.rating_band);
    auto fixture = read("queue_refuses");
    fixture["exchanges"][1]["request"]["body"] = body;
    Replay replay(Edited(fixture).name);
    auto options = patient();
    options.find = wish;
    EXPECT_THROW(replay.client().play(first_legal, options), kozyr::Refused);
    replay.check();
}

TEST(Play, SendsARatingBandThatMayBeLeftOutOrNull) {
    expect_sent({.game = "durak"}, {{"game", "durak"}});
    expect_sent({.game = "durak", .rating_band = nullptr}, {{"game", "durak"}, {"rating_band", nullptr}});
    expect_sent({.game = "durak", .rating_band = 400}, {{"game", "durak"}, {"rating_band", 400}});
}

TEST(Play, DeliversAChosenMoveBeforeAStop) {
    Replay replay("normal_play", {"--first", "3", "--stops"});
    std::stop_source source;
    auto client = replay.client();
    client.on_warning([&](auto kind, auto&) {
        if (kind == "illegal_move") {
            source.request_stop();  // The first legal move is chosen, but not sent.
        }
    });
    auto options = patient(source.get_token());
    options.first_legal = true;
    client.play([](const Turn&) { return "nonsense"; }, options);
    replay.check();
}

TEST(Play, DecodesAnObservationByItsGame) {
    Replay replay("normal_play");
    std::stop_source source;
    std::size_t cards = 0;
    const auto choose = [&](const Turn& turn) {
        EXPECT_EQ(turn.observation.game, kozyr::types::game_id::durak);
        cards = turn.observation.decode<kozyr::types::DurakObservation>().hand.size();
        stop_and_wait(source, turn);
        return first_legal(turn);
    };
    replay.client().play(choose, patient(source.get_token()));
    EXPECT_EQ(cards, 6u);
}

TEST(Client, GivesUpOnAServiceOutOfReachWhenPatienceIsOver) {
    Client client("http://127.0.0.1:9");
    client.on_warning([](auto, auto&) {});
    client.patience(300ms);
    EXPECT_THROW(client.limits(), kozyr::Unreachable);
}

TEST(Client, NamesTheAddressOfARedirect) {
    auto fixture = read("unavailable");
    const nlohmann::json post{{"method", "POST"}, {"path", "/v1/turns"}, {"body", {{"moves", nlohmann::json::array()}}}};
    const nlohmann::json moved{{"status", 302}, {"headers", {{"Location", "/moved"}}}, {"text", ""}};
    fixture["exchanges"][0]["response"] = moved;
    fixture["exchanges"][1] = {{"request", post}, {"response", moved}};
    Replay replay(Edited(fixture).name, {"--first", "2"});
    const auto client = replay.client();
    const auto expect_named = [](const auto& request) {
        try {
            request();
            FAIL() << "the redirect is no error";
        } catch (const kozyr::Unreachable& error) {
            EXPECT_NE(std::string(error.what()).find("redirects to \"/moved\"; set the address"), std::string::npos)
                << error.what();
        }
    };
    expect_named([&] { client.limits(); });
    expect_named([&] { client.request("POST", "/v1/turns", post["body"]); });
    replay.check();
}

TEST(Client, RequiresAnHttpAddress) {
    for (const auto* address : {"", "localhost:8000", "ftp://example.org", "http://"}) {
        EXPECT_THROW(Client{address}, std::invalid_argument) << address;
    }
}

/// A locale with a decimal comma, for the whole process.
class DecimalComma : public testing::Test {
protected:
    void SetUp() override {
        const auto compile = "localedef -i ru_RU -f UTF-8 " + folder_ + "/ru_RU.UTF-8 > /dev/null 2>&1";
        std::filesystem::create_directories(folder_);
        if (std::setlocale(LC_ALL, "ru_RU.UTF-8") == nullptr && std::system(compile.c_str()) == 0) {
            setenv("LOCPATH", folder_.c_str(), 1);
            std::setlocale(LC_ALL, "ru_RU.UTF-8");
        }
        if (std::string(std::localeconv()->decimal_point) != ",") {
            GTEST_SKIP() << "no locale ru_RU.UTF-8, and localedef does not make one";
        }
    }
    void TearDown() override {
        std::setlocale(LC_ALL, "C");
        unsetenv("LOCPATH");
        std::filesystem::remove_all(folder_);
    }

private:
    std::string folder_ = testing::TempDir() + "kozyr-locale-" + std::to_string(getpid());
};

TEST_F(DecimalComma, IsNotThatOfATime) {
    EXPECT_EQ(kozyr::detail::parse_time("2026-11-22T04:34:10.280Z").time_since_epoch() % 1min, 10'280ms);
}

TEST_F(DecimalComma, IsNotThatOfRetryAfter) {
    auto fixture = read("unavailable");
    fixture["exchanges"][0]["response"]["headers"]["Retry-After"] = "1.5";
    Replay replay(Edited(fixture).name, {"--first", "2"});
    replay.client().limits();
    replay.check();
}

TEST(Json, HasOnlyTheFieldsThatAreSet) {
    kozyr::types::NewMatch match;
    match.game = kozyr::types::game_id::svoi_kozyri;
    match.seats = {"example/first", std::nullopt};
    match.deals = 3;
    EXPECT_EQ(nlohmann::json(match),
              nlohmann::json::parse(R"({"game": "svoi_kozyri", "seats": ["example/first", null], "deals": 3})"));
}

TEST(Json, ReadsTimesToTheMicrosecond) {
    for (const auto& [text, seconds] : std::map<std::string, std::chrono::microseconds>{
             {"10.280Z", 10'280ms}, {"09Z", 9s}, {"59.000001Z", 59'000'001us}, {"00.1234567+00:00", 123'456us}}) {
        const auto time = kozyr::detail::parse_time("2026-11-22T04:34:" + text);
        EXPECT_EQ(time.time_since_epoch() % 1min, seconds) << text;
    }
    EXPECT_THROW(kozyr::detail::parse_time("2026-11-22T04:34:Z"), std::invalid_argument);
}

}  // namespace
