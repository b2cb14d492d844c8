// inbox_test.cc: the inbox on real SQLite files: what is applied, once and in order, over reopening and kills.
#include "client/inbox.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/random.h"
#include "base/testing/temp_folder.h"

namespace semel::client {
namespace {

// 2026-03-01T00:00:00Z
constexpr WallTime kNow{1'772'323'200'000};
constexpr std::string_view kSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
constexpr std::string_view kOtherSecret = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";

struct Event {
  std::string id;
  std::string endpoint = "ep_1";
  std::uint32_t round = 1;
  std::optional<std::string> key = {};
  Sequence sequence = 0;
  Sequence after = 0;
  bool out_of_order = false;
  std::optional<std::string> correlation = {};
  std::optional<std::uint64_t> version = {};

  std::string body() const {
    JsonWriter w;
    w.object().member("id", id).member("type", "order.changed").member("accepted_at", format_rfc3339(kNow));
    w.member_if("correlation_id", correlation).member_if("ordering_key", key);
    if (key) w.member("sequence", sequence);
    w.member_if("entity_version", version);
    w.key("delivery").object().member("endpoint", endpoint).member("round", round);
    if (key) w.member("after", after);
    if (out_of_order) w.member("out_of_order", true);
    return w.end().key("data").object().end().end().take();
  }
};

Event keyed(int number, const std::string& key = "k") {
  return {.id = key + "_" + std::to_string(number),
          .key = key,
          .sequence = static_cast<Sequence>(number),
          .after = static_cast<Sequence>(number - 1)};
}

signature::Signer signer_of(std::string_view secret) {
  std::vector<signature::Signer::Key> keys;
  keys.push_back({*signature::parse_secret(secret), {}});
  return signature::Signer(std::move(keys));
}

std::vector<InboxSource> sources() {
  return {{"shop", {*signature::parse_verifier_key(kSecret)}},
          {"bank", {*signature::parse_verifier_key(kOtherSecret)}}};
}

std::int64_t number(sqlite3* db, const std::string& sql) {
  Statement statement = *Statement::prepare(db, sql);
  Rows rows = statement.rows();
  SEMEL_CHECK(*rows.next());
  return rows.integer(0);
}

// A receiver on a file: closing and opening it again is a restart.
class Receiver {
 public:
  explicit Receiver(std::string path) : path_(std::move(path)) { open(); }
  ~Receiver() { close(); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  void restart() {
    close();
    open();
  }

  std::string receive(const Event& event, std::string_view secret = kSecret) {
    return told(accept_raw(event.id, event.body(), secret));
  }

  inbox::WireAnswer accept_raw(const std::string& id, const std::string& body, std::string_view secret,
                               WallTime signed_at = kNow) {
    const std::string timestamp = signature::format_timestamp(signed_at);
    const std::string signature = signer_of(secret).sign(id, signed_at, body);
    return inbox_->accept({id, timestamp, signature, body}, kNow, effect_);
  }

  // What the sender sees, in one word where there is a disposition.
  static std::string told(const inbox::WireAnswer& answer) {
    return answer.disposition.empty() ? std::to_string(answer.status) : std::string(answer.disposition);
  }

  // The ids of the effects, in the order in which they happened.
  std::vector<std::string> effects() {
    std::vector<std::string> ids;
    Statement statement = *Statement::prepare(db_, "SELECT event_id FROM effect ORDER BY effect_no");
    Rows rows = statement.rows();
    while (*rows.next()) ids.emplace_back(rows.text(0));
    return ids;
  }

  // What the application says once it has written the effect.
  void answer_effects_by(std::function<EffectAnswer(const inbox::Arrival&)> answer) { answer_ = std::move(answer); }
  void answer_effects_with(EffectAnswer answer) {
    answer_effects_by([answer](const inbox::Arrival&) { return answer; });
  }
  Inbox& inbox() { return *inbox_; }
  sqlite3* db() { return db_; }
  const ApplyEffect& effect() { return effect_; }
  void close() {
    inbox_.reset();
    ASSERT_EQ(sqlite3_close(db_), SQLITE_OK);
    db_ = nullptr;
  }

 private:
  void open() {
    SEMEL_CHECK(sqlite3_open(path_.c_str(), &db_) == SQLITE_OK);
    SEMEL_CHECK(run_script(db_,
                           "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                           "CREATE TABLE IF NOT EXISTS effect (effect_no INTEGER PRIMARY KEY, event_id TEXT)"));
    Result<Inbox> opened = Inbox::open(db_, "orders", sources());
    SEMEL_CHECK(opened.has_value());
    inbox_.emplace(*std::move(opened));
  }

  EffectAnswer make_effect(const inbox::Arrival& arrival) {
    Statement insert = *Statement::prepare(db_, "INSERT INTO effect (event_id) VALUES (?1)");
    SEMEL_CHECK(insert.run(std::string_view(arrival.id)).has_value());
    return answer_(arrival);
  }

  std::string path_;
  sqlite3* db_ = nullptr;
  std::optional<Inbox> inbox_;
  std::function<EffectAnswer(const inbox::Arrival&)> answer_ = [](const inbox::Arrival&) { return EffectMade{}; };
  ApplyEffect effect_ = [this](const inbox::Arrival& arrival, std::string_view) { return make_effect(arrival); };
};

class InboxOnFile : public testing::Test {
 protected:
  std::string path() const { return folder_.file("inbox.db"); }

 private:
  TempFolder folder_;
};

using Ids = std::vector<std::string>;

TEST_F(InboxOnFile, applies_once_and_answers_duplicate_from_then_on) {
  Receiver receiver(path());
  const Event event{.id = "evt_1"};
  EXPECT_EQ(receiver.receive(event), "applied");
  EXPECT_EQ(receiver.receive(event), "duplicate");
  receiver.restart();
  EXPECT_EQ(receiver.receive(event), "duplicate");
  EXPECT_EQ(receiver.effects(), Ids{"evt_1"});
}

TEST_F(InboxOnFile, sources_of_one_consumer_are_apart) {
  Receiver receiver(path());
  EXPECT_EQ(receiver.receive({.id = "evt_1"}, kSecret), "applied");
  EXPECT_EQ(receiver.receive({.id = "evt_1"}, kOtherSecret), "applied");
  EXPECT_EQ(receiver.effects(), (Ids{"evt_1", "evt_1"}));
}

TEST_F(InboxOnFile, parks_what_came_too_early_and_drains_it_in_order_when_the_gap_closes) {
  Receiver receiver(path());
  EXPECT_EQ(receiver.receive(keyed(3)), "parked");
  EXPECT_EQ(receiver.receive(keyed(3)), "parked");
  EXPECT_EQ(receiver.receive(keyed(2)), "parked");
  receiver.restart();
  EXPECT_EQ(receiver.effects(), Ids{});
  EXPECT_EQ(receiver.inbox().totals()->parked_now, 2u);
  EXPECT_EQ(receiver.receive(keyed(1)), "applied");
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "k_2", "k_3"}));
  EXPECT_EQ(receiver.receive(keyed(3)), "duplicate");
  EXPECT_EQ(receiver.inbox().totals()->parked_now, 0u);
  EXPECT_EQ(receiver.inbox().totals()->parked_ever, 2u);
}

TEST_F(InboxOnFile, drains_at_most_sixteen_on_its_way_and_the_rest_when_asked) {
  Receiver receiver(path());
  for (int i = 20; i >= 2; --i) EXPECT_EQ(receiver.receive(keyed(i)), "parked");
  EXPECT_EQ(receiver.receive(keyed(1)), "applied");
  EXPECT_EQ(receiver.effects().size(), 17u);
  const Inbox::Drained drained = receiver.inbox().drain(kNow, receiver.effect(), 100);
  EXPECT_EQ(drained.applied, 3u);
  EXPECT_FALSE(drained.more);
  EXPECT_EQ(receiver.effects().back(), "k_20");
}

TEST_F(InboxOnFile, a_restart_in_the_middle_of_a_drain_goes_on_with_the_rest) {
  Receiver receiver(path());
  for (int i = 30; i >= 2; --i) receiver.receive(keyed(i));
  receiver.receive(keyed(1));
  EXPECT_EQ(receiver.effects().size(), 17u);
  receiver.restart();
  EXPECT_TRUE(receiver.inbox().drain(kNow, receiver.effect(), 5).more);
  EXPECT_EQ(receiver.inbox().drain(kNow, receiver.effect(), 100).applied, 8u);
  EXPECT_EQ(receiver.effects().size(), 30u);
}

TEST_F(InboxOnFile, what_its_line_has_passed_is_late_and_never_a_duplicate) {
  Receiver receiver(path());
  receiver.receive(keyed(1));
  Event third = keyed(3);
  third.after = 1;  // the sender skipped the second
  EXPECT_EQ(receiver.receive(third), "applied");
  const inbox::WireAnswer answer = receiver.accept_raw("k_2", keyed(2).body(), kSecret);
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.body, R"({"status":"rejected","reason":"late"})");
  EXPECT_EQ(receiver.inbox().totals()->late, 1u);
  Event replayed = keyed(2);
  replayed.out_of_order = true;
  replayed.round = 2;
  EXPECT_EQ(receiver.receive(replayed), "applied");
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "k_3", "k_2"}));
  EXPECT_EQ(receiver.receive(keyed(4)), "applied");  // its predecessor is the third: the position did not fall
}

TEST_F(InboxOnFile, the_lowest_after_received_lets_a_parked_event_go) {
  Receiver receiver(path());
  receiver.receive(keyed(1));
  EXPECT_EQ(receiver.receive(keyed(4)), "parked");
  Event second = keyed(2);
  Event fourth = keyed(4);
  fourth.after = 2;  // the sender has skipped the third since
  EXPECT_EQ(receiver.receive(fourth), "parked");
  EXPECT_EQ(receiver.receive(keyed(4)), "parked");  // a stale copy changes nothing
  EXPECT_EQ(receiver.receive(second), "applied");
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "k_2", "k_4"}));
}

TEST_F(InboxOnFile, another_endpoint_of_the_source_moves_its_own_position_without_an_effect) {
  Receiver receiver(path());
  for (int i = 1; i <= 2; ++i) receiver.receive(keyed(i));
  Event second = keyed(2);
  second.endpoint = "ep_2";
  EXPECT_EQ(receiver.receive(second), "parked");
  Event first = keyed(1);
  first.endpoint = "ep_2";
  EXPECT_EQ(receiver.receive(first), "duplicate");
  EXPECT_EQ(receiver.inbox().totals()->parked_now, 0u);
  Event third = keyed(3);
  third.endpoint = "ep_2";
  EXPECT_EQ(receiver.receive(third), "applied");
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "k_2", "k_3"}));
}

TEST_F(InboxOnFile, what_the_application_refuses_leaves_no_effect_and_stays_refused_in_its_round) {
  Receiver receiver(path());
  receiver.answer_effects_with(EffectRefused{"unknown_order"});
  const inbox::WireAnswer answer = receiver.accept_raw("k_1", keyed(1).body(), kSecret);
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.body, R"({"status":"rejected","reason":"unknown_order"})");
  receiver.answer_effects_with(EffectMade{});
  EXPECT_EQ(receiver.receive(keyed(1)), "rejected");
  EXPECT_EQ(receiver.receive(keyed(2)), "parked");
  EXPECT_EQ(receiver.effects(), Ids{});
  EXPECT_EQ(receiver.inbox().totals()->rejected, 1u);
  Event again = keyed(1);
  again.round = 2;
  EXPECT_EQ(receiver.receive(again), "applied");
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "k_2"}));
  EXPECT_EQ(receiver.inbox().totals()->rejected, 0u);
}

TEST_F(InboxOnFile, what_the_application_postpones_is_as_if_it_had_not_come) {
  Receiver receiver(path());
  receiver.answer_effects_with(EffectPostponed{});
  const inbox::WireAnswer answer = receiver.accept_raw("evt_1", Event{.id = "evt_1"}.body(), kSecret);
  EXPECT_EQ(answer.status, 425);
  EXPECT_TRUE(answer.retry_after_s.has_value());
  receiver.answer_effects_with(EffectMade{});
  EXPECT_EQ(receiver.receive({.id = "evt_1"}), "applied");
  EXPECT_EQ(receiver.effects(), Ids{"evt_1"});
}

TEST_F(InboxOnFile, a_parked_event_that_is_postponed_keeps_its_place) {
  Receiver receiver(path());
  receiver.receive(keyed(2));
  receiver.receive(keyed(1));
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "k_2"}));
  receiver.receive(keyed(4));
  receiver.receive(keyed(5));
  receiver.answer_effects_with(EffectPostponed{});
  EXPECT_EQ(receiver.receive(keyed(3)), "425");
  receiver.answer_effects_with(EffectMade{});
  EXPECT_EQ(receiver.receive(keyed(3)), "applied");
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "k_2", "k_3", "k_4", "k_5"}));
}

TEST_F(InboxOnFile, the_version_guard_absorbs_an_older_state_of_the_entity) {
  Receiver receiver(path());
  EXPECT_EQ(receiver.receive({.id = "evt_2", .correlation = "order-7", .version = 2}), "applied");
  const Event older{.id = "evt_1", .correlation = "order-7", .version = 1};
  const inbox::WireAnswer answer = receiver.accept_raw(older.id, older.body(), kSecret);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"status":"applied","reason":"superseded"})");
  EXPECT_EQ(receiver.receive(older), "duplicate");
  EXPECT_EQ(receiver.receive({.id = "evt_3", .correlation = "order-7", .version = 3}), "applied");
  EXPECT_EQ(receiver.effects(), (Ids{"evt_2", "evt_3"}));
}

// The dedup record is the first guard, not the only one.
TEST_F(InboxOnFile, a_lost_record_of_an_unkeyed_event_is_superseded_by_its_version) {
  Receiver receiver(path());
  const Event event{.id = "evt_1", .correlation = "order-7", .version = 1};
  EXPECT_EQ(receiver.receive(event), "applied");
  ASSERT_TRUE(run_script(receiver.db(), "DELETE FROM semel_inbox_record WHERE event_id = 'evt_1'"));
  EXPECT_EQ(receiver.receive(event), "applied");
  EXPECT_EQ(receiver.receive(event), "duplicate");
  EXPECT_EQ(receiver.effects(), Ids{"evt_1"});
}

TEST_F(InboxOnFile, a_lost_record_of_a_keyed_event_is_late) {
  Receiver receiver(path());
  EXPECT_EQ(receiver.receive(keyed(1)), "applied");
  ASSERT_TRUE(run_script(receiver.db(), "DELETE FROM semel_inbox_record WHERE event_id = 'k_1'"));
  EXPECT_EQ(receiver.accept_raw("k_1", keyed(1).body(), kSecret).body, R"({"status":"rejected","reason":"late"})");
  EXPECT_EQ(receiver.effects(), Ids{"k_1"});
}

TEST_F(InboxOnFile, takes_bodies_of_other_senders_once) {
  Receiver receiver(path());
  for (const std::string body : {R"({"type":"invoice.paid","data":{"n":1}})", "[]", "not json", ""}) {
    const std::string id = "msg_" + std::to_string(body.size());
    EXPECT_EQ(Receiver::told(receiver.accept_raw(id, body, kSecret)), "applied") << body;
    EXPECT_EQ(Receiver::told(receiver.accept_raw(id, body, kSecret)), "duplicate") << body;
  }
  EXPECT_EQ(receiver.effects().size(), 4u);
}

TEST_F(InboxOnFile, what_is_not_verified_leaves_no_trace) {
  Receiver receiver(path());
  const std::string body = Event{.id = "evt_1"}.body();
  const std::string now = signature::format_timestamp(kNow);
  const std::string good = signer_of(kSecret).sign("evt_1", kNow, body);
  const auto status = [&](const Incoming& incoming) {
    return receiver.inbox().accept(incoming, kNow, receiver.effect()).status;
  };
  EXPECT_EQ(status({"evt_1", now, good, body + " "}), 401);
  EXPECT_EQ(status({"evt_2", now, good, body}), 401);
  EXPECT_EQ(status({"evt_1", now, "", body}), 401);
  EXPECT_EQ(status({"evt_1", "", good, body}), 401);
  EXPECT_EQ(status({"", now, good, body}), 401);
  EXPECT_EQ(status({"evt_1", now, "v1,\xc3\xa9\xff", body}), 401);
  EXPECT_EQ(status({"\xc3\xa9", "\xff", "\xfe", body}), 401);
  const std::string strange = "whsec_" + to_base64(std::string(32, 's'));
  EXPECT_EQ(receiver.accept_raw("evt_1", body, strange).status, 401);
  EXPECT_EQ(receiver.accept_raw("evt_1", body, kSecret, kNow - milliseconds(301'000)).status, 401);
  EXPECT_EQ(receiver.accept_raw("evt_1", body, kSecret, kNow + milliseconds(301'000)).status, 401);
  EXPECT_EQ(receiver.accept_raw("evt_2", body, kSecret).status, 400);  // signed, but the body says evt_1
  EXPECT_EQ(receiver.effects(), Ids{});
  EXPECT_EQ(number(receiver.db(), "SELECT count(*) FROM semel_inbox_record"), 0);
  EXPECT_EQ(receiver.accept_raw("evt_1", body, kSecret, kNow - milliseconds(300'000)).status, 200);
}

TEST_F(InboxOnFile, a_shuffled_line_with_copies_is_applied_once_and_in_order) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Receiver receiver(path() + std::to_string(seed));
    SeededRandom random(seed);
    std::vector<Event> waiting;
    for (const char* key : {"a", "b", "c"})
      for (int i = 1; i <= 12; ++i) waiting.insert(waiting.end(), 1 + random.below(2), keyed(i, key));
    while (!waiting.empty()) {
      std::swap(waiting[random.below(waiting.size())], waiting.back());
      receiver.receive(waiting.back());
      waiting.pop_back();
      if (random.below(10) == 0) receiver.restart();
    }
    receiver.inbox().drain(kNow, receiver.effect(), 1'000);
    std::map<std::string, int> last;
    const Ids effects = receiver.effects();
    EXPECT_EQ(effects.size(), 36u) << "seed " << seed;
    for (const std::string& id : effects)
      EXPECT_EQ(std::stoi(id.substr(2)), ++last[id.substr(0, 1)]) << id << " seed " << seed;
  }
}

TEST_F(InboxOnFile, several_in_one_transaction_are_judged_in_their_order_and_undone_alone) {
  Receiver receiver(path());
  const std::vector<Event> events{keyed(2), keyed(1), keyed(1), {.id = "refused"}, {.id = "evt_1"}};
  std::vector<std::string> bodies, signatures;
  for (const Event& event : events) {
    bodies.push_back(event.body());
    signatures.push_back(signer_of(kSecret).sign(event.id, kNow, bodies.back()));
  }
  const std::string timestamp = signature::format_timestamp(kNow);
  std::vector<Incoming> incoming;
  for (std::size_t i = 0; i < events.size(); ++i)
    incoming.push_back({events[i].id, timestamp, signatures[i], bodies[i]});
  receiver.answer_effects_by([](const inbox::Arrival& arrival) -> EffectAnswer {
    if (arrival.id == "refused") return EffectRefused{"no"};
    return EffectMade{};
  });
  std::vector<std::string> answers;
  for (const inbox::WireAnswer& answer : receiver.inbox().accept_all(incoming, kNow, receiver.effect()))
    answers.push_back(Receiver::told(answer));
  EXPECT_EQ(answers, (Ids{"parked", "applied", "duplicate", "rejected", "applied"}));
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "evt_1"}));
  EXPECT_EQ(receiver.inbox().drain(kNow, receiver.effect(), 10).applied, 1u);
  EXPECT_EQ(receiver.effects(), (Ids{"k_1", "evt_1", "k_2"}));
}

TEST_F(InboxOnFile, a_commit_that_fails_is_never_answered_with_success) {
  Receiver receiver(path());
  sqlite3_commit_hook(receiver.db(), [](void*) { return 1; }, nullptr);  // turns each commit into a rollback
  EXPECT_EQ(receiver.receive({.id = "evt_1"}), "503");
  EXPECT_EQ(receiver.effects(), Ids{});
  sqlite3_commit_hook(receiver.db(), nullptr, nullptr);
  receiver.restart();
  EXPECT_EQ(receiver.receive({.id = "evt_1"}), "applied");
  EXPECT_EQ(receiver.effects(), Ids{"evt_1"});
}

TEST_F(InboxOnFile, a_full_file_is_answered_503_and_recovers_with_space) {
  Receiver receiver(path());
  receiver.receive({.id = "evt_0"});
  const std::int64_t pages = number(receiver.db(), "PRAGMA page_count");
  number(receiver.db(), "PRAGMA max_page_count = " + std::to_string(pages));
  const std::string long_key(3'000, 'k');
  int refused = 0;
  for (int i = 1; i <= 20 && refused == 0; ++i)
    refused +=
        receiver.receive(
            {.id = "evt_" + std::to_string(i), .correlation = long_key + std::to_string(i), .version = 1}) == "503";
  EXPECT_EQ(refused, 1);
  const std::size_t kept = receiver.effects().size();
  EXPECT_FALSE(receiver.inbox().broken().has_value());
  number(receiver.db(), "PRAGMA max_page_count = 100000");
  EXPECT_EQ(receiver.receive({.id = "evt_later"}), "applied");
  EXPECT_EQ(receiver.effects().size(), kept + 1);
}

TEST_F(InboxOnFile, an_event_whose_record_was_purged_is_too_old_to_judge) {
  Receiver receiver(path());
  EXPECT_EQ(receiver.receive({.id = "evt_1"}), "applied");
  ASSERT_TRUE(receiver.inbox().purge(kNow + inbox::kDedupRetention + milliseconds(1), 100));
  EXPECT_EQ(number(receiver.db(), "SELECT count(*) FROM semel_inbox_record"), 0);
  const inbox::WireAnswer answer = receiver.accept_raw("evt_1", Event{.id = "evt_1"}.body(), kSecret);
  EXPECT_EQ(answer.body, R"({"status":"rejected","reason":"too_old_to_judge"})");
  EXPECT_EQ(receiver.effects(), Ids{"evt_1"});
}

// A signature made 300 s ahead is good for 600 s: nothing may forget its event before that.
TEST_F(InboxOnFile, a_copy_at_the_very_end_of_its_time_window_still_meets_its_record) {
  Receiver receiver(path());
  const std::string body = R"({"type":"invoice.paid"})";  // of a sender whose bodies say nothing about their age
  const WallTime ahead = kNow + milliseconds(300'000);
  EXPECT_EQ(Receiver::told(receiver.accept_raw("msg_1", body, kSecret, ahead)), "applied");
  const WallTime end = kNow + milliseconds(600'000);
  ASSERT_TRUE(receiver.inbox().purge(end, 100));
  const std::string timestamp = signature::format_timestamp(ahead);
  const std::string signature = signer_of(kSecret).sign("msg_1", ahead, body);
  const Incoming copy{"msg_1", timestamp, signature, body};
  EXPECT_EQ(Receiver::told(receiver.inbox().accept(copy, end, receiver.effect())), "duplicate");
  EXPECT_EQ(receiver.inbox().accept(copy, end + milliseconds(1'000), receiver.effect()).status, 401);
  EXPECT_EQ(receiver.effects(), Ids{"msg_1"});
}

TEST_F(InboxOnFile, tables_of_a_newer_version_are_refused) {
  Receiver receiver(path());
  ASSERT_TRUE(run_script(receiver.db(), "UPDATE semel_inbox_schema SET version = 2"));
  const Result<Inbox> opened = Inbox::open(receiver.db(), "orders", sources());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault, Fault::conflict);
}

// Runs `deed` in a process of its own, which it must end by SIGKILL.
void killed_process(const std::function<void()>& deed) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    deed();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

TEST_F(InboxOnFile, a_kill_between_commit_and_answer_is_met_with_duplicate) {
  for (const Event& event : {Event{.id = "evt_1"}, keyed(1)}) {
    killed_process([&] {
      Receiver killed(path());
      const auto kill_after_commit = [](void*, sqlite3*, const char*, int) { return raise(SIGKILL); };
      sqlite3_wal_hook(killed.db(), kill_after_commit, nullptr);
      killed.receive(event);
    });
    Receiver receiver(path());
    EXPECT_EQ(receiver.receive(event), "duplicate");
    EXPECT_EQ(std::ranges::count(receiver.effects(), event.id), 1);
  }
}

TEST_F(InboxOnFile, a_kill_while_the_effect_is_made_leaves_nothing) {
  killed_process([&] {
    Receiver killed(path());
    killed.answer_effects_by([](const inbox::Arrival&) -> EffectAnswer {
      raise(SIGKILL);
      return EffectMade{};
    });
    killed.receive({.id = "evt_1"});
  });
  Receiver receiver(path());
  EXPECT_EQ(receiver.effects(), Ids{});
  EXPECT_EQ(receiver.receive({.id = "evt_1"}), "applied");
  EXPECT_EQ(receiver.effects(), Ids{"evt_1"});
}

}  // namespace
}  // namespace semel::client
