// inbox_property_test.cc: the six rules over any stored facts, and a whole inbox under events that come in any order,
// in any number of copies, through several endpoints, while the application refuses some.
//
// One of the five properties that seed 004 section 232 asks for: a duplicate completion yields one terminal effect.
// inbox_model_test.cc visits every interleaving of small worlds; the worlds here are larger and drawn.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/match.h"
#include "core/inbox/inbox.h"

namespace semel::inbox {
namespace {

using std::chrono::hours;

constexpr WallTime kNow{1'772'323'200'000};

rc::Gen<bool> one_in(std::size_t n) { return rc::gen::weightedElement<bool>({{n - 1, false}, {1, true}}); }

Arrival any_arrival() {
  Arrival arrival;
  arrival.source = "shop";
  arrival.id = "evt_1";
  arrival.endpoint = "ep_1";
  arrival.round = *rc::gen::inRange(1u, 4u);
  if (!*one_in(4)) {
    arrival.ordering_key = "k";
    arrival.sequence = *rc::gen::inRange<Sequence>(1, 10);
    arrival.after = *rc::gen::inRange<Sequence>(0, *arrival.sequence);
    arrival.out_of_order = *rc::gen::arbitrary<bool>();
  }
  if (*rc::gen::arbitrary<bool>()) arrival.entity_version = *rc::gen::inRange<std::uint64_t>(0, 5);
  if (*rc::gen::arbitrary<bool>()) arrival.accepted_at = kNow - hours(*rc::gen::inRange(0, 24 * 100));
  return arrival;
}

InboxFacts any_facts() {
  InboxFacts facts;
  if (*one_in(4)) facts.purged_through = kNow - hours(*rc::gen::inRange(0, 24 * 100));
  switch (*rc::gen::element(0, 1, 2)) {
    case 0:
      facts.known = Applied{.through_this_endpoint = *rc::gen::arbitrary<bool>()};
      break;
    case 1:
      facts.known = RejectedByApplication{.round = *rc::gen::element<std::optional<std::uint32_t>>(std::nullopt, 1, 2),
                                          .reason = "no"};
      break;
    default:
      break;
  }
  if (*rc::gen::arbitrary<bool>()) facts.parked_after = *rc::gen::inRange<Sequence>(0, 9);
  facts.position = *rc::gen::inRange<Sequence>(0, 10);
  facts.parked_in_line = *rc::gen::element(0u, 1u, kParkedPerLineMax - 1, kParkedPerLineMax);
  facts.parked_in_all = *rc::gen::element(1u, kParkedMax);
  if (*rc::gen::arbitrary<bool>()) facts.entity_version = *rc::gen::inRange<std::uint64_t>(0, 5);
  return facts;
}

RC_GTEST_PROP(AnyArrival, is_called_a_duplicate_exactly_when_it_was_applied, ()) {
  const InboxFacts facts = any_facts();
  const Ruling ruling = judge_arrival(any_arrival(), facts, kNow);
  const bool was_applied = std::holds_alternative<Applied>(facts.known);
  if (std::holds_alternative<Duplicate>(ruling)) RC_ASSERT(was_applied);
  if (was_applied) RC_ASSERT(!std::holds_alternative<Apply>(ruling));
  if (was_applied) RC_ASSERT(!std::holds_alternative<Superseded>(ruling));
}

RC_GTEST_PROP(AnyArrival, that_was_applied_through_its_endpoint_changes_nothing_any_more, ()) {
  InboxFacts facts = any_facts();
  facts.known = Applied{.through_this_endpoint = true};
  const Ruling ruling = judge_arrival(any_arrival(), facts, kNow);
  if (const auto* reject = std::get_if<Reject>(&ruling)) {
    RC_ASSERT(reject->reason == "too_old_to_judge");
    RC_ASSERT(!reject->keep_as_late);
    return;
  }
  RC_ASSERT(std::holds_alternative<Duplicate>(ruling));
  RC_ASSERT(!std::get<Duplicate>(ruling).first_through_this_endpoint);
  RC_ASSERT(!std::get<Duplicate>(ruling).moves_position);
}

RC_GTEST_PROP(AnyArrival, is_applied_only_in_its_turn_or_by_consent, ()) {
  const Arrival arrival = any_arrival();
  const InboxFacts facts = any_facts();
  const Ruling ruling = judge_arrival(arrival, facts, kNow);
  const auto* apply = std::get_if<Apply>(&ruling);
  if (!apply || !arrival.ordered()) return;
  const bool below = *arrival.sequence <= facts.position;
  const bool predecessor_is_there =
      std::min(*arrival.after, facts.parked_after.value_or(*arrival.after)) <= facts.position;
  RC_ASSERT((below ? arrival.out_of_order : predecessor_is_there));
  RC_ASSERT(apply->moves_position == !below);
}

// The lowest `after` that was ever received counts: what was skipped before it is not waited for.
RC_GTEST_PROP(AnyArrival, is_parked_only_while_the_lowest_predecessor_it_named_is_missing, ()) {
  const Arrival arrival = any_arrival();
  const InboxFacts facts = any_facts();
  const Ruling ruling = judge_arrival(arrival, facts, kNow);
  const auto* park = std::get_if<Park>(&ruling);
  if (!park) return;
  RC_ASSERT(arrival.ordered());
  RC_ASSERT(park->after == std::min(*arrival.after, facts.parked_after.value_or(*arrival.after)));
  RC_ASSERT(park->after > facts.position);
}

RC_GTEST_PROP(AnyArrival, that_was_not_applied_and_is_below_the_position_is_late_and_never_a_duplicate, ()) {
  Arrival arrival = any_arrival();
  InboxFacts facts = any_facts();
  arrival.ordering_key = "k";
  arrival.sequence = *rc::gen::inRange<Sequence>(1, 10);
  arrival.after = *rc::gen::inRange<Sequence>(0, *arrival.sequence);
  arrival.out_of_order = false;
  arrival.accepted_at.reset();
  facts.known = std::monostate{};
  facts.position = *arrival.sequence + *rc::gen::inRange<Sequence>(0, 3);
  const Ruling ruling = judge_arrival(arrival, facts, kNow);
  RC_ASSERT(std::holds_alternative<Reject>(ruling));
  RC_ASSERT(std::get<Reject>(ruling).reason == "late");
  RC_ASSERT(std::get<Reject>(ruling).keep_as_late);
}

RC_GTEST_PROP(AnyArrival, takes_no_room_beyond_the_quota, ()) {
  const InboxFacts facts = any_facts();
  const Ruling ruling = judge_arrival(any_arrival(), facts, kNow);
  const bool full = facts.parked_in_line >= kParkedPerLineMax || facts.parked_in_all >= kParkedMax;
  if (std::holds_alternative<Park>(ruling)) RC_ASSERT(!full || facts.parked_after.has_value());
  if (std::holds_alternative<Later>(ruling)) RC_ASSERT(full && !facts.parked_after);
}

// An inbox of one consumer in memory: what the real one stores, and the effects of the application beside it.
class World {
 public:
  static constexpr int kEvents = 12;
  static constexpr int kEndpoints = 2;

  std::map<int, int> effects;                // of each event
  std::vector<int> applied[kEndpoints + 1];  // in the order in which an endpoint's line moved

  Disposition receive(int event, int endpoint, std::uint32_t round, bool application_refuses) {
    const Arrival arrival = arrival_of(event, endpoint, round);
    const Disposition disposition = carry_out(
        arrival, event, endpoint, judge_arrival(arrival, facts_of(event, endpoint), kNow), application_refuses);
    drain(endpoint);
    return disposition;
  }

  Sequence position(int endpoint) const { return position_[endpoint]; }
  bool has_seen(int event, int endpoint) const { return seen_.contains({endpoint, event}); }
  bool nothing_is_parked() const { return parked_.empty(); }

 private:
  static Arrival arrival_of(int event, int endpoint, std::uint32_t round) {
    Arrival arrival;
    arrival.source = "shop";
    arrival.id = "evt_" + std::to_string(event);
    arrival.endpoint = "ep_" + std::to_string(endpoint);
    arrival.round = round;
    arrival.ordering_key = "k";
    arrival.sequence = static_cast<Sequence>(event);
    arrival.after = static_cast<Sequence>(event) - 1;
    arrival.accepted_at = kNow;
    return arrival;
  }

  InboxFacts facts_of(int event, int endpoint) const {
    InboxFacts facts;
    if (effects.contains(event)) facts.known = Applied{.through_this_endpoint = seen_.contains({endpoint, event})};
    const auto refused = refused_.find({endpoint, event});
    if (!effects.contains(event) && refused != refused_.end())
      facts.known = RejectedByApplication{.round = refused->second, .reason = "no"};
    const auto parked = parked_.find({endpoint, event});
    if (parked != parked_.end()) facts.parked_after = static_cast<Sequence>(event) - 1;
    facts.position = position_[endpoint];
    facts.parked_in_all = facts.parked_in_line = static_cast<std::uint32_t>(parked_.size());
    return facts;
  }

  Disposition carry_out(const Arrival& arrival, int event, int endpoint, const Ruling& ruling, bool refuses) {
    const auto move = [&](bool moves) {
      if (moves) position_[endpoint] = *arrival.sequence;
      if (moves) applied[endpoint].push_back(event);
    };
    if (!std::holds_alternative<Park>(ruling) && !std::holds_alternative<Later>(ruling))
      parked_.erase({endpoint, event});
    return match(
        ruling,
        [&](const Duplicate& duplicate) {
          seen_.insert({endpoint, event});
          move(duplicate.moves_position);
          return Disposition::duplicate;
        },
        [&](const Reject&) { return Disposition::rejected; },
        [&](const Park&) {
          parked_.insert_or_assign({endpoint, event}, arrival.round);
          return Disposition::parked;
        },
        [&](const Later&) { return Disposition::later; },
        [&](const Superseded&) -> Disposition { RC_FAIL("no event here has a version"); },
        [&](const Apply& apply) {
          if (refuses) {
            refused_.insert_or_assign({endpoint, event}, arrival.round);
            return Disposition::rejected;
          }
          ++effects[event];
          seen_.insert({endpoint, event});
          move(apply.moves_position);
          return Disposition::applied;
        });
  }

  void drain(int endpoint) {
    for (int event = 1; event <= kEvents; ++event) {
      const auto parked = parked_.find({endpoint, event});
      if (parked == parked_.end()) continue;
      const Arrival arrival = arrival_of(event, endpoint, parked->second);
      const std::optional<Ruling> ruling = judge_parked(arrival, facts_of(event, endpoint));
      if (ruling) carry_out(arrival, event, endpoint, *ruling, false);
    }
  }

  Sequence position_[kEndpoints + 1] = {};
  std::set<std::pair<int, int>> seen_;                    // by endpoint and event
  std::map<std::pair<int, int>, std::uint32_t> refused_;  // the round it was refused in
  std::map<std::pair<int, int>, std::uint32_t> parked_;   // the round it came in
};

struct Copy {
  int event;
  int endpoint;
  std::uint32_t round;
  bool refused;
};

std::vector<Copy> any_copies() {
  const auto copy = rc::gen::exec([] {
    return Copy{.event = *rc::gen::inRange(1, World::kEvents + 1),
                .endpoint = *rc::gen::element(1, 2),
                .round = *rc::gen::inRange(1u, 4u),
                .refused = *one_in(8)};
  });
  return *rc::gen::scale(3.0, rc::gen::container<std::vector<Copy>>(copy));
}

// Seed 004, 232: a completion that comes again has no second effect, and is told so only once there was a first.
RC_GTEST_PROP(AnyInbox, applies_each_event_once_however_often_and_through_whichever_endpoint_it_comes, ()) {
  World world;
  for (const Copy& copy : any_copies()) {
    const bool was_applied = world.effects.contains(copy.event);
    const bool was_seen_here = world.has_seen(copy.event, copy.endpoint);
    const Disposition disposition = world.receive(copy.event, copy.endpoint, copy.round, copy.refused);
    RC_ASSERT(!was_applied || disposition == Disposition::duplicate || disposition == Disposition::parked);
    RC_ASSERT(disposition != Disposition::duplicate || was_applied);
    RC_ASSERT(!was_seen_here || disposition == Disposition::duplicate);
    for (const auto& [event, times] : world.effects) RC_ASSERT(times == 1);
  }
}

RC_GTEST_PROP(AnyInbox, moves_along_each_line_without_a_gap, ()) {
  World world;
  for (const Copy& copy : any_copies()) world.receive(copy.event, copy.endpoint, copy.round, copy.refused);
  for (int endpoint = 1; endpoint <= World::kEndpoints; ++endpoint)
    for (std::size_t i = 0; i < world.applied[endpoint].size(); ++i)
      RC_ASSERT(world.applied[endpoint][i] == static_cast<int>(i) + 1);
}

// Whatever came before: once everything comes once more in its order, in a round of its own, all of it is applied.
RC_GTEST_PROP(AnyInbox, has_applied_everything_once_its_sender_has_sent_everything, ()) {
  World world;
  for (const Copy& copy : any_copies()) world.receive(copy.event, copy.endpoint, copy.round, copy.refused);
  for (int endpoint = 1; endpoint <= World::kEndpoints; ++endpoint) {
    for (int event = 1; event <= World::kEvents; ++event) {
      const Disposition disposition = world.receive(event, endpoint, 9, false);
      RC_ASSERT(disposition == Disposition::applied || disposition == Disposition::duplicate);
    }
    RC_ASSERT(world.position(endpoint) == static_cast<Sequence>(World::kEvents));
  }
  RC_ASSERT(world.effects.size() == static_cast<std::size_t>(World::kEvents));
  RC_ASSERT(world.nothing_is_parked());
}

}  // namespace
}  // namespace semel::inbox
