// lost_dedup.cc: the dedup record is removed by hand; the version guard and the position are what is left.
#include <filesystem>

#include "scenario/scenarios.h"
#include "scenario/scene.h"

namespace semel::scenario {
namespace {

// Up to the moment when the event comes again to a receiver that has no record of it.
Result<void> lose_answer_and_record(Scene& scene, Story& story, std::string_view members) {
  SEMEL_TRY_VOID(scene.start_with_a_lost_answer());
  SEMEL_TRY_VOID(scene.send_event(members));
  SEMEL_TRY_VOID(scene.watch_delivery("unknown"));
  story.expect("the answer to the first attempt was lost", scene.outcome_of_attempt(1) == "unknown connection_lost");
  return scene.restart_receiver([&] { return scene.forget_event(); });
}

Result<void> without_ordering_key(const std::string& semel, const std::filesystem::path& folder, Story& story) {
  Scene scene(semel, folder, story);
  story.step(
      "An event without ordering key, version 7 of its entity. It is applied, the answer is lost, and then the dedup "
      "record too.");
  SEMEL_TRY_VOID(lose_answer_and_record(scene, story, R"("correlation_id":"order-1","entity_version":7)"));

  story.step("The event comes again. The version guard sees that the entity already stands at version 7: superseded.");
  SEMEL_TRY_VOID(scene.watch_delivery("delivered"));
  story.expect("the second attempt was answered 200 applied", scene.outcome_of_attempt(2) == "delivered 200 applied");
  SEMEL_TRY_VOID(scene.count_effects());
  story.expect("still one effect", scene.effects() == 1);
  return {};
}

Result<void> with_ordering_key(const std::string& semel, const std::filesystem::path& folder, Story& story) {
  Scene scene(semel, folder, story);
  story.step("An event with an ordering key. It is applied, the answer is lost, and then the dedup record too.");
  SEMEL_TRY_VOID(lose_answer_and_record(scene, story, R"("ordering_key":"order-1")"));

  story.step(
      "The event comes again. The position of its ordering key has passed it, so it is late; without the record\n   "
      "nobody can call it a duplicate, and a person has to look.");
  SEMEL_TRY_VOID(scene.watch_delivery("dead"));
  story.expect("the second attempt was answered 422 rejected, reason late",
               scene.outcome_of_attempt(2) == "dead 422 late");
  story.expect("the delivery is dead: rejected_by_receiver", scene.delivery().text("reason") == "rejected_by_receiver");
  story.expect("and says that it may have happened", scene.delivery().text("may_have_happened") == "true");
  SEMEL_TRY_VOID(scene.count_effects());
  story.expect("still one effect", scene.effects() == 1);
  return {};
}

}  // namespace

Result<void> lost_dedup(const std::string& semel, const std::filesystem::path& folder, Story& story) {
  for (const char* part : {"unordered", "ordered"}) std::filesystem::create_directory(folder / part);
  SEMEL_TRY_VOID(without_ordering_key(semel, folder / "unordered", story));
  return with_ordering_key(semel, folder / "ordered", story);
}

}  // namespace semel::scenario
