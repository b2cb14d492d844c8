// test_rig.h: for tests: the whole API on a real store in a file, with lanes that run when they are drained, a clock
// that stands still, and endpoints that answer as the test says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/api.h"
#include "base/random.h"
#include "base/testing/temp_folder.h"
#include "edge/sqlite/inline_lanes.h"
#include "edge/sqlite/sqlite_store.h"
#include "port/null_telemetry.h"
#include "port/scope.h"

namespace semel::api {

class StandingClock final : public Clock {
 public:
  MonotonicTime now() const override { return {1'000'000'000}; }
  WallTime wall() const override { return {1'796'025'600'000}; }  // 2026-11-30T08:00:00Z
  // Time does not pass: only waits of up to 100 ms end, when the test lets them; a retry is never sent.
  TimerId start_timer(MonotonicTime at, Done<> done) override {
    const TimerId id{++timers_};
    if (at - now() <= std::chrono::milliseconds(100)) short_waits_.emplace(id.value, std::move(done));
    return id;
  }
  void stop_timer(TimerId timer) override { short_waits_.erase(timer.value); }

  // False when none waits.
  bool end_short_wait() {
    if (short_waits_.empty()) return false;
    auto first = short_waits_.extract(short_waits_.begin());
    first.mapped()();
    return true;
  }

 private:
  std::uint64_t timers_ = 0;
  std::map<std::uint64_t, Done<>> short_waits_;
};

class PlainSecrets final : public Secrets {
 public:
  std::string seal(std::string_view plain, std::string_view row) override {
    return std::string(row) + "|" + std::string(plain);
  }
  Result<std::string> unseal(std::string_view sealed, std::string_view row) override {
    if (!sealed.starts_with(std::string(row) + "|")) return fail(Fault::corrupt, "sealed for another row");
    return std::string(sealed.substr(row.size() + 1));
  }
};

// Passes on to a real store, but for commits that the test lets end otherwise.
class TroubledStore final : public store::Store {
 public:
  explicit TroubledStore(std::unique_ptr<store::Store> inner) : inner_(std::move(inner)) {}
  void start_commit(store::WriteSet write_set, Done<store::CommitAnswer> done) override {
    if (next_answer) return done(*std::exchange(next_answer, std::nullopt));
    inner_->start_commit(std::move(write_set), std::move(done));
  }
  void start_reading(std::move_only_function<void(store::StoreReader&)> read, Done<Nothing> done) override {
    inner_->start_reading(std::move(read), std::move(done));
  }
  Fence fence() const override { return inner_->fence(); }

  std::optional<store::CommitAnswer> next_answer;

 private:
  std::unique_ptr<store::Store> inner_;
};

class ScriptedExchange final : public Exchange {
 public:
  Co<Outcome> exchange(SealedRequest request) override {
    const auto found = answers.find(request.url.target);
    if (found == answers.end())
      co_await call<Nothing>([](Done<Nothing> done) { forgotten().push_back(std::move(done)); });
    co_return Outcome(found->second);
  }
  std::map<std::string, semel::Answer> answers;  // by path; a path that is not here never answers

 private:
  static std::vector<Done<Nothing>>& forgotten() {
    static std::vector<Done<Nothing>> waiting;
    return waiting;
  }
};

class ApiTest : public testing::Test {
 protected:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  ApiTest() {
    operator_key_ = add_operator();
    run(load());
  }
  ~ApiTest() override {
    dispatcher_.reset();
    store_.reset();
    lanes_.drain();
  }

  HttpResponse send(std::string method, std::string target, std::string body = {}, Headers headers = {}) {
    const std::size_t question = std::min(target.find('?'), target.size());
    HttpRequest request{.method = std::move(method),
                        .path = target.substr(0, question),
                        .query = question == target.size() ? "" : target.substr(question + 1),
                        .headers = std::move(headers),
                        .body = std::move(body)};
    if (!request.header("authorization") && !as_nobody_) request.headers.emplace_back("authorization", bearer_);
    if (!request.body.empty() && !request.header("content-type"))
      request.headers.emplace_back("content-type", "application/json");
    std::optional<HttpResponse> response;
    run(answer(std::move(request), response));
    EXPECT_TRUE(response.has_value());
    return response.value_or(HttpResponse{.status = 0});
  }
  HttpResponse get(std::string target) { return send("GET", std::move(target)); }
  HttpResponse post(std::string target, std::string body, Headers headers = {}) {
    return send("POST", std::move(target), std::move(body), std::move(headers));
  }

  static std::string header(const HttpResponse& response, std::string_view name) {
    for (const auto& [header_name, value] : response.headers)
      if (header_name == name) return value;
    return "";
  }
  // A member of the answer: its text; of what is no string, its JSON. "" when absent.
  static std::string member(const HttpResponse& response, std::string_view name) {
    const Result<JsonDocument> document = parse_json(response.body);
    if (!document || document->root().kind() != JsonKind::object) return "";
    const std::optional<JsonValue> found = document->root().find(name);
    return found ? std::string(found->text()) : "";
  }
  static std::string code(const HttpResponse& response) { return member(response, "code"); }

  // Acts with this key from now on.
  void act_as(std::string key_text) { bearer_ = "Bearer " + key_text; }
  void act_as_operator() { act_as(operator_key_); }
  void act_as_nobody() { as_nobody_ = true; }
  std::string make_key(const std::string& members) { return member(post("/v1/keys", "{" + members + "}"), "key"); }
  // The id of a new endpoint.
  std::string make_endpoint(const std::string& path, const std::string& members) {
    const HttpResponse made = post("/v1/endpoints", R"({"url":"http://127.0.0.1:9)" + path + "\"," + members + "}");
    EXPECT_EQ(made.status, 201) << made.body;
    return member(made, "id");
  }

  void run(Co<void> body) {
    scope_.spawn(std::move(body));
    do lanes_.drain();
    while (clock_.end_short_wait());
  }

 private:
  static std::unique_ptr<TroubledStore> open(const TempFolder& folder, Secrets& secrets, Entropy& entropy,
                                             sqlite::InlineLanes& lanes) {
    auto opened = sqlite::open_sqlite_store(
        {.path = folder.file("semel.db"), .secrets = secrets, .entropy = entropy, .vfs = {}, .on_fatal = {}}, lanes,
        lanes);
    if (!opened) ADD_FAILURE() << opened.error().note;
    return std::make_unique<TroubledStore>(std::move(opened->store));
  }
  std::string add_operator() {
    const ApiKeyId id{"key_00000000000000000000000000000001"};
    const access::NewSecret secret = access::make_secret(id, entropy_);
    keys_.set_operator_key({.id = id,
                            .secret_hash = secret.hash,
                            .role = access::Role::operator_,
                            .tenant = std::nullopt,
                            .client = "operator",
                            .event_types = std::nullopt});
    bearer_ = "Bearer " + secret.text;
    return secret.text;
  }
  Co<void> load() {
    EXPECT_TRUE(co_await tenants_.load(*store_, secrets_));
    EXPECT_TRUE(co_await keys_.load());
    EXPECT_TRUE(co_await endpoints_.load());
    EXPECT_TRUE(co_await dispatcher_->start());
  }
  Co<void> answer(HttpRequest request, std::optional<HttpResponse>& into) {
    into = co_await api_.handle(std::move(request));
  }

  TempFolder folder_;
  sqlite::InlineLanes lanes_;
  StandingClock clock_;
  SeededRandom entropy_{7};
  PlainSecrets secrets_;
  NullTelemetry telemetry_;
  egress::EgressRules egress_{.allowed = {*egress::parse_allowed_range("127.0.0.0/8:1-65535")}, .own_addresses = {}};
  std::string operator_key_;
  std::string bearer_;
  bool as_nobody_ = false;

 protected:
  std::unique_ptr<TroubledStore> store_ = open(folder_, secrets_, entropy_, lanes_);
  ScriptedExchange exchange_;

 private:
  engine::Tenants tenants_;
  engine::KeyRing keys_{*store_, clock_, entropy_};
  engine::EndpointBook endpoints_{*store_, secrets_, clock_, entropy_};
  std::unique_ptr<engine::Dispatcher> dispatcher_ = std::make_unique<engine::Dispatcher>(
      engine::DispatcherPorts{*store_, exchange_, lanes_, clock_, entropy_, telemetry_}, endpoints_);
  engine::Intake intake_{*store_, *dispatcher_, tenants_, clock_, entropy_};
  Api api_{{*store_, tenants_, keys_, endpoints_, *dispatcher_, intake_, egress_, entropy_}};
  Scope scope_;
};

}  // namespace semel::api
