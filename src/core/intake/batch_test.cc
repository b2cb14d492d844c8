// batch_test.cc: what a refused item holds back.
#include "core/intake/batch.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>

#include "core/intake/item_of.h"
#include "core/intake/memory_view.h"

namespace semel::intake {
namespace {

Item item(const std::string& members) { return item_of(R"({"type":"a.b","data":1,)" + members + "}"); }

std::optional<Refuse::Why> refusal(const Decision& decision) {
  const auto* refuse = std::get_if<Refuse>(&decision);
  return refuse ? std::optional(refuse->why) : std::nullopt;
}

TEST(Batch, behind_a_refused_item_those_of_its_ordering_key_wait_and_others_do_not) {
  MemoryView view;
  Batch batch;
  EXPECT_EQ(refusal(batch.judge(item(R"("ordering_key":"p","sequence":5)"), "default", view)),
            Refuse::Why::sequence_gap);
  EXPECT_EQ(refusal(batch.judge(item(R"("ordering_key":"p","sequence":1)"), "default", view)),
            Refuse::Why::predecessor_refused);
  EXPECT_EQ(refusal(batch.judge(item(R"("ordering_key":"q")"), "default", view)), std::nullopt);
  EXPECT_EQ(refusal(batch.judge(item(R"("id":"e1")"), "default", view)), std::nullopt);
}

TEST(Batch, behind_an_item_that_could_not_be_read_one_waits_and_holds_back_the_next) {
  MemoryView view;
  Batch batch;
  Item behind = item(R"("ordering_key":"p")");
  behind.behind_refused = true;
  EXPECT_EQ(refusal(batch.judge(behind, "default", view)), Refuse::Why::predecessor_refused);
  EXPECT_EQ(refusal(batch.judge(item(R"("ordering_key":"p")"), "default", view)), Refuse::Why::predecessor_refused);
}

TEST(Batch, a_refusal_that_stands_from_before_holds_back_too) {
  MemoryView view;
  Batch batch;
  batch.note_refusal(item(R"("ordering_key":"p")"));
  EXPECT_EQ(refusal(batch.judge(item(R"("ordering_key":"p")"), "default", view)), Refuse::Why::predecessor_refused);
}

TEST(Batch, what_is_known_already_is_answered_as_it_was) {
  MemoryView view;
  view.submit(item(R"("id":"e1","ordering_key":"p")"));
  Batch batch;
  batch.note_refusal(item(R"("ordering_key":"p")"));
  EXPECT_TRUE(std::holds_alternative<Replay>(batch.judge(item(R"("id":"e1","ordering_key":"p")"), "default", view)));
  const Item other = item_of(R"({"type":"a.b","data":2,"id":"e1","ordering_key":"p"})");
  EXPECT_EQ(refusal(batch.judge(other, "default", view)), Refuse::Why::id_reused);
}

TEST(Batch, only_the_wait_for_a_predecessor_is_not_final) {
  using enum Refuse::Why;
  for (const Refuse::Why why : {key_reused, id_reused, sequence_gap, sequence_missing, sequence_not_taken})
    EXPECT_TRUE(is_final({why, std::nullopt}));
  EXPECT_FALSE(is_final({predecessor_refused, std::nullopt}));
}

}  // namespace
}  // namespace semel::intake
