// accounts_test.cc: a verdict that cannot be bad proves nothing; each kind of fault must show itself.
#include "accounts.h"
#include "base/testing/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace semel::demo {
namespace {

const std::vector<std::string> kSources = {"per-key", "none"};

// Two events of one ordering key, both applied through both sources, and a server that says so.
struct Accounts {
  std::vector<PlannedEvent> events{
      {.type = "a.b", .ordering_key = "k", .data = "1", .data_sha256 = "one", .idempotency_key = "i1"},
      {.type = "a.b", .ordering_key = "k", .data = "2", .data_sha256 = "two", .idempotency_key = "i2"}};
  std::vector<Told> told{{"e1", 1, &events[0]}, {"e2", 2, &events[1]}};
  std::vector<Effect> effects{{"per-key", "e1", "k", 1, "one"},
                              {"none", "e1", "k", 1, "one"},
                              {"none", "e2", "k", 2, "two"},
                              {"per-key", "e2", "k", 2, "two"}};
  ServerAccount server{.delivered = 4, .attempts = 5};
  Verdict verdict() const { return compare(told, kSources, effects, server); }
};

TEST(Accounts, that_agree_are_good) {
  const Verdict verdict = Accounts().verdict();
  EXPECT_TRUE(verdict.good());
  EXPECT_EQ(verdict.accepted, 4);
  EXPECT_EQ(verdict.applied, 4);
}

struct Spoiled {
  const char* what;
  void (*spoil)(Accounts&);
  std::int64_t Verdict::* shows_in;
  std::int64_t count;
};

TEST(Accounts, each_fault_shows_itself) {
  const Spoiled rows[] = {
      {"an effect is missing", [](Accounts& a) { a.effects.pop_back(); }, &Verdict::lost, 1},
      {"nothing arrived", [](Accounts& a) { a.effects.clear(); }, &Verdict::lost, 4},
      {"an effect is there twice", [](Accounts& a) { a.effects.push_back(a.effects[0]); }, &Verdict::duplicate_effects,
       1},
      {"two effects changed places", [](Accounts& a) { std::swap(a.effects[1], a.effects[2]); }, &Verdict::out_of_order,
       2},
      {"an effect carries another sequence", [](Accounts& a) { a.effects[3].sequence = 3; }, &Verdict::out_of_order, 1},
      {"an effect carries another key", [](Accounts& a) { a.effects[3].ordering_key = "z"; }, &Verdict::out_of_order,
       1},
      {"bytes were altered", [](Accounts& a) { a.effects[0].data_sha256 = "other"; }, &Verdict::altered, 1},
      {"an effect nobody was told about", [](Accounts& a) { a.effects.push_back({"none", "e3", "k", 3, "x"}); },
       &Verdict::unexplained, 1},
  };
  for (const Spoiled& row : rows) {
    SCOPED_TRACE(row.what);
    Accounts accounts;
    row.spoil(accounts);
    const Verdict verdict = accounts.verdict();
    EXPECT_FALSE(verdict.good());
    EXPECT_EQ(verdict.*row.shows_in, row.count);
  }
}

TEST(Accounts, what_the_server_left_undone_is_not_good) {
  for (std::int64_t ServerAccount::* left : {&ServerAccount::dead, &ServerAccount::open, &ServerAccount::parked}) {
    Accounts accounts;
    accounts.server.*left = 1;
    EXPECT_FALSE(accounts.verdict().good());
  }
  Accounts fewer;
  fewer.server.delivered = 3;
  EXPECT_FALSE(fewer.verdict().good());
}

TEST(Accounts, a_ledger_with_a_torn_line_is_refused) {
  const TempFolder folder;
  std::ofstream(folder.file("ledger")) << R"({"source":"none","event_id":"e1")";
  EXPECT_FALSE(read_ledger(folder.file("ledger")));
  EXPECT_FALSE(read_ledger(folder.file("absent")));
}

}  // namespace
}  // namespace semel::demo
