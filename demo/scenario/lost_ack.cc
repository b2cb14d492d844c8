// lost_ack.cc: one event, one lost answer, one effect.
#include "scenario/scenarios.h"
#include "scenario/scene.h"

namespace semel::scenario {

Result<void> lost_ack(const std::string& semel, const std::filesystem::path& folder, Story& story) {
  Scene scene(semel, folder, story);
  story.step("A receiver that commits the first event it gets and then cuts the connection before it answers.");
  SEMEL_TRY_VOID(scene.start_with_a_lost_answer());

  story.step("A producer sends one event and is told 202: it is stored.");
  SEMEL_TRY_VOID(scene.send_event(R"("correlation_id":"order-1")"));

  story.step("The first attempt ends without an answer. Nobody can know what that means, so its name is unknown.");
  SEMEL_TRY_VOID(scene.watch_delivery("unknown"));
  story.expect("the first attempt's outcome is unknown: connection_lost",
               scene.outcome_of_attempt(1) == "unknown connection_lost");

  story.step("The sender sends the same event again, with the same id; the receiver's dedup record knows it.");
  SEMEL_TRY_VOID(scene.watch_delivery("delivered"));
  story.expect("the second attempt was answered 200 duplicate",
               scene.outcome_of_attempt(2) == "delivered 200 duplicate");
  story.expect("nothing is left in doubt", scene.delivery().text("may_have_happened") == "false");

  story.step("What took effect at the receiver:");
  SEMEL_TRY_VOID(scene.count_effects());
  story.expect("two attempts, one effect", scene.effects() == 1);
  return {};
}

}  // namespace semel::scenario
