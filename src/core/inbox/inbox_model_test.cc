// inbox_model_test.cc: every interleaving of a few small worlds, with the real judge_arrival and judge_parked as the
// receiver: one ordering key, up to three events, one or two endpoints of one source. The sender gives up, skips and
// replays; requests are lost, arrive late or twice; answers are lost; the application refuses.
//
// Looks for: an effect twice, a predecessor jumped without a recorded skip, disorder nobody consented to, a delivery
// called delivered without an effect, and, once faults stop and an operator replays what is dead, anything stuck.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/match.h"
#include "core/inbox/inbox.h"

namespace semel::inbox {
namespace {

using Byte = std::uint8_t;
constexpr int kEvents = 3;
constexpr int kEndpoints = 2;
constexpr int kCopiesMax = 2;

struct Bounds {
  const char* name;
  int events;
  int endpoints;
  bool per_key[kEndpoints];  // else `none`: sent without waiting for the predecessor
  Byte skips, replays, out_of_order_replays, copies, dead, refusals;
};

enum DeliveryState : Byte { absent, due, parked, dead, cancelled, delivered };
enum Flight : Byte { idle, under_way, handled };

// What the sender says with one request.
struct Request {
  Byte endpoint, event, after, round, out_of_order;
  friend auto operator<=>(const Request&, const Request&) = default;
};

struct Delivery {
  Byte state, after, round, out_of_order, skipped, ever_delivered;
  Byte flight, answer;
  Request sent;
};

enum Settled : Byte { nothing, applied, rejected };

// What the inbox stores of one event through one endpoint.
struct Through {
  Byte settled, round;
  Byte is_parked, parked_after, parked_round;
};

struct World {
  Byte accepted;
  Byte skips, replays, out_of_order_replays, copies, dead, refusals;  // what may still go wrong
  Byte tail[kEndpoints];
  Delivery delivery[kEndpoints][kEvents];
  Byte position[kEndpoints];
  Through through[kEndpoints][kEvents];
  Byte effects[kEvents];
  Byte copy_count;
  Request copy[kCopiesMax];
};
static_assert(std::has_unique_object_representations_v<World>);

int sequence_of(int event) { return event + 1; }
bool is_open(const Delivery& delivery) { return delivery.state == due || delivery.state == parked; }

class Model {
 public:
  explicit Model(const Bounds& bounds) : bounds_(bounds) {}

  std::string violation;

  // ---- the receiver: an in-memory inbox around the real rules ----

  Disposition receive(World& world, const Request& request, bool application_refuses) {
    const Arrival arrival = arrival_of(request);
    return carry_out(world, request, application_refuses,
                     judge_arrival(arrival, facts_of(world, request), WallTime{0}));
  }

  // The lowest parked sequence of the endpoint whose turn has come.
  int next_to_drain(const World& world, int endpoint) const {
    for (int event = 0; event < bounds_.events; ++event) {
      const Through& row = world.through[endpoint][event];
      if (row.is_parked && row.parked_after <= world.position[endpoint]) return event;
    }
    return -1;
  }

  void drain(World& world, int endpoint, int event, bool application_refuses) {
    const Through& row = world.through[endpoint][event];
    const Request request{Byte(endpoint), Byte(event), row.parked_after, row.parked_round, 0};
    const std::optional<Ruling> ruling = judge_parked(arrival_of(request), facts_of(world, request));
    SEMEL_CHECK(ruling.has_value());
    carry_out(world, request, application_refuses, *ruling);
  }

  // ---- the sender ----

  bool is_sendable(const World& world, int endpoint, int event) const {
    const Delivery& delivery = world.delivery[endpoint][event];
    if (!is_open(delivery) || delivery.flight != idle) return false;
    if (!bounds_.per_key[endpoint]) return true;
    for (int other = 0; other < bounds_.events; ++other) {
      const Delivery& x = world.delivery[endpoint][other];
      if (other < event && is_open(x)) return false;
      if (other < event && x.state == dead && !x.skipped) return false;
    }
    return true;
  }

  void accept(World& world) const {
    const int event = world.accepted++;
    for (int endpoint = 0; endpoint < bounds_.endpoints; ++endpoint) {
      Delivery& delivery = world.delivery[endpoint][event];
      delivery.state = due;
      delivery.after = std::exchange(world.tail[endpoint], Byte(sequence_of(event)));
    }
  }

  Request request_of(const World& world, int endpoint, int event) const {
    const Delivery& delivery = world.delivery[endpoint][event];
    return {Byte(endpoint), Byte(event), delivery.after, delivery.round, delivery.out_of_order};
  }

  void settle(World& world, int endpoint, int event) {
    Delivery& delivery = world.delivery[endpoint][event];
    const auto answer = Disposition(delivery.answer);
    end_flight(delivery);
    if (answer == Disposition::applied || answer == Disposition::duplicate) {
      delivery.state = delivered;
      delivery.ever_delivered = 1;
      if (!world.effects[event]) report("delivered without an effect: ", event);
      return;
    }
    if (delivery.state == cancelled) return;
    delivery.state = answer == Disposition::parked ? parked : dead;
  }

  static void end_flight(Delivery& delivery) {
    delivery.flight = idle;
    delivery.answer = 0;
    delivery.sent = {};
  }

  // Everything whose `after` names the skipped sequence takes over its `after`, and so does the tail.
  void skip(World& world, int endpoint, int event) const {
    Delivery& skipped = world.delivery[endpoint][event];
    skipped.state = cancelled;
    skipped.skipped = 1;
    skipped.out_of_order = 0;
    const Byte gone = Byte(sequence_of(event));
    for (Delivery& other : world.delivery[endpoint])
      if (&other != &skipped && other.state != absent && other.after == gone) other.after = skipped.after;
    if (world.tail[endpoint] == gone) world.tail[endpoint] = skipped.after;
  }

  bool replay(World& world, int endpoint, int event, bool out_of_order) const {
    Delivery& delivery = world.delivery[endpoint][event];
    if (delivery.flight != idle || (delivery.state != dead && delivery.state != cancelled)) return false;
    if (!out_of_order && (delivery.skipped || delivered_above(world, endpoint, event))) return false;
    delivery.state = due;
    delivery.out_of_order = out_of_order;
    ++delivery.round;
    return true;
  }

  bool delivered_above(const World& world, int endpoint, int event) const {
    for (int above = event + 1; above < bounds_.events; ++above)
      if (world.delivery[endpoint][above].ever_delivered) return true;
    return false;
  }

  // ---- after the faults: everything must come to rest ----

  void heal(World world) {
    for (int round = 0; round < 4 * bounds_.events + 4 && violation.empty(); ++round) {
      deliver_until_quiet(world);
      if (!violation.empty()) return;
      report_what_waits_without_reason(world);
      if (!replay_lowest_dead(world)) break;
    }
    if (!violation.empty()) return;
    for (int endpoint = 0; endpoint < bounds_.endpoints; ++endpoint)
      for (int event = 0; event < world.accepted; ++event) check_settled(world, endpoint, event);
  }

 private:
  Arrival arrival_of(const Request& request) const {
    static constexpr std::array<const char*, kEvents> ids{"e1", "e2", "e3"};
    static constexpr std::array<const char*, kEndpoints> endpoints{"a", "b"};
    Arrival arrival;
    arrival.id = ids[request.event];
    arrival.endpoint = endpoints[request.endpoint];
    arrival.round = request.round + 1u;
    arrival.ordering_key = "k";
    arrival.sequence = sequence_of(request.event);
    arrival.after = request.after;
    arrival.out_of_order = request.out_of_order;
    return arrival;
  }

  InboxFacts facts_of(const World& world, const Request& request) const {
    InboxFacts facts;
    const Through& here = world.through[request.endpoint][request.event];
    bool applied_anywhere = false;
    bool rejected_anywhere = false;
    for (int endpoint = 0; endpoint < bounds_.endpoints; ++endpoint) {
      applied_anywhere |= world.through[endpoint][request.event].settled == applied;
      rejected_anywhere |= world.through[endpoint][request.event].settled == rejected;
    }
    if (applied_anywhere) {
      facts.known = Applied{here.settled == applied};
    } else if (rejected_anywhere) {
      RejectedByApplication known{std::nullopt, "no"};
      if (here.settled == rejected) known.round = here.round + 1u;
      facts.known = known;
    }
    if (here.is_parked) facts.parked_after = here.parked_after;
    facts.position = world.position[request.endpoint];
    return facts;
  }

  Disposition carry_out(World& world, const Request& request, bool application_refuses, const Ruling& ruling) {
    Through& here = world.through[request.endpoint][request.event];
    const auto end_parking = [&] { here.is_parked = here.parked_after = here.parked_round = 0; };
    const auto move_position = [&](bool moves) {
      Byte& position = world.position[request.endpoint];
      if (moves) position = std::max(position, Byte(sequence_of(request.event)));
    };
    return match(
        ruling,
        [&](const Duplicate& duplicate) {
          end_parking();
          if (duplicate.first_through_this_endpoint) here.settled = applied;
          move_position(duplicate.moves_position);
          return Disposition::duplicate;
        },
        [&](const Reject&) {
          end_parking();
          return Disposition::rejected;
        },
        [&](const Park& park) {
          here.is_parked = 1;
          here.parked_after = Byte(park.after);
          here.parked_round = std::max(here.parked_round, request.round);
          return Disposition::parked;
        },
        [&](const Apply& apply) {
          end_parking();
          here.round = request.round;
          if (application_refuses) {
            here.settled = rejected;
            return Disposition::rejected;
          }
          here.settled = applied;
          take_effect(world, request);
          move_position(apply.moves_position);
          return Disposition::applied;
        },
        [&](const Later&) { return report("parking refused without a quota: ", request.event), Disposition::later; },
        [&](const Superseded&) { return report("superseded without a version: ", request.event), Disposition::later; });
  }

  void take_effect(World& world, const Request& request) {
    if (++world.effects[request.event] > 1) report("two effects of ", request.event);
    const bool consented = request.out_of_order;
    for (int other = 0; other < world.accepted && !consented; ++other) {
      const Delivery& delivery = world.delivery[request.endpoint][other];
      const bool applied_here = world.through[request.endpoint][other].settled == applied;
      if (other < request.event && delivery.state != absent && !world.effects[other] && !delivery.skipped)
        report("predecessor jumped without a skip by ", request.event);
      if (other > request.event && applied_here) report("out of order without consent: ", request.event);
    }
  }

  void deliver_until_quiet(World& world) {
    bool changed = true;
    for (int turn = 0; changed && violation.empty(); ++turn) {
      if (turn == 60) return report("the healed world never comes to rest: ", 0);
      changed = false;
      for (int endpoint = 0; endpoint < bounds_.endpoints; ++endpoint) {
        for (int event = 0; event < world.accepted; ++event) changed |= deliver_once(world, endpoint, event);
        for (int event; (event = next_to_drain(world, endpoint)) >= 0; changed = true)
          drain(world, endpoint, event, false);
      }
    }
  }

  bool deliver_once(World& world, int endpoint, int event) {
    if (!is_sendable(world, endpoint, event)) return false;
    Delivery& delivery = world.delivery[endpoint][event];
    const Byte state_before = delivery.state;
    const Byte position_before = world.position[endpoint];
    delivery.answer = Byte(receive(world, request_of(world, endpoint, event), false));
    settle(world, endpoint, event);
    return delivery.state != state_before || world.position[endpoint] != position_before;
  }

  void report_what_waits_without_reason(const World& world) {
    for (int endpoint = 0; endpoint < bounds_.endpoints; ++endpoint) {
      bool dead_below = false;
      for (int event = 0; event < world.accepted; ++event) {
        const Delivery& delivery = world.delivery[endpoint][event];
        if (is_open(delivery) && !dead_below) report("stuck without a dead predecessor: ", event);
        dead_below |= delivery.state == dead && !delivery.skipped;
      }
    }
  }

  // What an operator does: the lowest dead one, in order if that is still possible, else out of order.
  bool replay_lowest_dead(World& world) {
    for (int endpoint = 0; endpoint < bounds_.endpoints; ++endpoint)
      for (int event = 0; event < world.accepted; ++event) {
        const Delivery& delivery = world.delivery[endpoint][event];
        if (delivery.state != dead || delivery.skipped) continue;
        if (!replay(world, endpoint, event, delivered_above(world, endpoint, event))) report("replay refused: ", event);
        deliver_once(world, endpoint, event);
        if (world.delivery[endpoint][event].state == dead) report("a healthy receiver refuses for ever: ", event);
        return true;
      }
    return false;
  }

  void check_settled(const World& world, int endpoint, int event) {
    const Delivery& delivery = world.delivery[endpoint][event];
    if (delivery.state == dead && !delivery.skipped) report("dead after healing: ", event);
    if (delivery.state == delivered && !world.effects[event]) report("lost: delivered, no effect of ", event);
    if (!delivery.skipped || world.effects[event] || is_open(delivery)) return;
    World later = world;
    if (!replay(later, endpoint, event, true) || !is_sendable(later, endpoint, event)) return;
    if (receive(later, request_of(later, endpoint, event), false) == Disposition::rejected)
      report("skipped, replayed out of order by a person, and refused: ", event);
  }

  void report(std::string_view what, int event) {
    if (violation.empty()) violation = std::string(what) + "event " + std::to_string(sequence_of(event));
  }

  const Bounds& bounds_;
};

// One thing that happens; kept with each world, so that a counterexample can be told.
struct Step {
  const char* what;
  Byte endpoint, event;
};

class Search {
 public:
  explicit Search(const Bounds& bounds) : bounds_(bounds), model_(bounds) {
    World first{};
    first.skips = bounds.skips;
    first.replays = bounds.replays;
    first.out_of_order_replays = bounds.out_of_order_replays;
    first.copies = bounds.copies;
    first.dead = bounds.dead;
    first.refusals = bounds.refusals;
    add(first, {"start", 0, 0}, 0);
  }

  // The story of the first violation; empty when there is none.
  std::string run() {
    for (std::size_t i = 0; i < worlds_.size(); ++i) {
      const World world = worlds_[i];
      if (is_quiet(world)) model_.heal(world);
      if (!model_.violation.empty()) return tell(i, {"then faults stop", 0, 0});
      current_ = i;
      expand(world);
      if (!model_.violation.empty()) return tell(i, last_step_);
    }
    return {};
  }

  std::size_t size() const { return worlds_.size(); }

 private:
  static constexpr std::uint32_t kFree = ~0u;

  bool is_quiet(const World& world) const {
    for (const auto& endpoint : world.delivery)
      for (const Delivery& delivery : endpoint)
        if (delivery.flight != idle) return false;
    return true;
  }

  // Applies `change` to a copy of `world` and keeps the outcome, unless a violation was already found.
  template <class Change>
  void branch(const World& world, Step step, Change change) {
    if (!model_.violation.empty()) return;
    World next = world;
    last_step_ = step;
    change(next);
    std::sort(next.copy, next.copy + next.copy_count);
    if (model_.violation.empty()) add(next, step, current_);
  }

  void expand(const World& world) {
    if (world.accepted < bounds_.events)
      branch(world, {"accepted", 0, world.accepted}, [&](World& next) { model_.accept(next); });
    for (Byte endpoint = 0; endpoint < bounds_.endpoints; ++endpoint) {
      for (Byte event = 0; event < world.accepted; ++event) {
        expand_flight(world, endpoint, event);
        expand_decisions(world, endpoint, event);
      }
      expand_drain(world, endpoint);
    }
    for (Byte i = 0; i < world.copy_count; ++i) expand_copy(world, i);
  }

  void expand_flight(const World& world, Byte e, Byte v) {
    const Delivery& delivery = world.delivery[e][v];
    if (model_.is_sendable(world, e, v))
      branch(world, {"sent", e, v}, [&](World& next) {
        next.delivery[e][v].sent = model_.request_of(world, e, v);
        next.delivery[e][v].flight = under_way;
      });
    if (delivery.flight == under_way) {
      expand_arrival(world, e, v);
      expand_loss(world, e, v, "request lost");
      if (world.copy_count < kCopiesMax && world.copies > 0) expand_delay(world, e, v);
    }
    if (delivery.flight == handled) {
      branch(world, {"answer arrives", e, v}, [&](World& next) { model_.settle(next, e, v); });
      expand_loss(world, e, v, "answer lost");
    }
  }

  void expand_arrival(const World& world, Byte e, Byte v) {
    const Request request = world.delivery[e][v].sent;
    const auto handle = [&](World& next, bool refuses) {
      next.delivery[e][v].answer = Byte(model_.receive(next, request, refuses));
      next.delivery[e][v].flight = handled;
    };
    branch(world, {"handled", e, v}, [&](World& next) { handle(next, false); });
    if (world.refusals > 0)
      branch(world, {"handled, refused by the application", e, v}, [&](World& next) {
        handle(next, true);
        --next.refusals;
      });
    if (world.copies > 0 && world.copy_count < kCopiesMax)
      branch(world, {"handled, a copy is still under way", e, v}, [&](World& next) {
        handle(next, false);
        next.copy[next.copy_count++] = request;
        --next.copies;
      });
  }

  void expand_loss(const World& world, Byte e, Byte v, const char* what) {
    branch(world, {what, e, v}, [&](World& next) { Model::end_flight(next.delivery[e][v]); });
    if (world.dead > 0 && is_open(world.delivery[e][v]))
      branch(world, {"lost and given up", e, v}, [&](World& next) {
        Model::end_flight(next.delivery[e][v]);
        next.delivery[e][v].state = dead;
        --next.dead;
      });
  }

  void expand_delay(const World& world, Byte e, Byte v) {
    branch(world, {"timed out, the request is still under way", e, v}, [&](World& next) {
      next.copy[next.copy_count++] = world.delivery[e][v].sent;
      Model::end_flight(next.delivery[e][v]);
      --next.copies;
    });
  }

  void expand_decisions(const World& world, Byte e, Byte v) {
    const Delivery& delivery = world.delivery[e][v];
    if (world.dead > 0 && is_open(delivery) && delivery.flight == idle)
      branch(world, {"given up", e, v}, [&](World& next) {
        next.delivery[e][v].state = dead;
        --next.dead;
      });
    if (world.skips > 0 && (is_open(delivery) || (delivery.state == dead && !delivery.skipped)))
      branch(world, {"skipped", e, v}, [&](World& next) {
        model_.skip(next, e, v);
        --next.skips;
      });
    expand_replay(world, e, v, false, &World::replays);
    expand_replay(world, e, v, true, &World::out_of_order_replays);
  }

  void expand_replay(const World& world, Byte e, Byte v, bool out_of_order, Byte World::* left) {
    World probe = world;
    if (world.*left == 0 || !model_.replay(probe, e, v, out_of_order)) return;
    branch(world, {out_of_order ? "replayed out of order" : "replayed", e, v}, [&](World& next) {
      model_.replay(next, e, v, out_of_order);
      --(next.*left);
    });
  }

  void expand_drain(const World& world, Byte endpoint) {
    const int event = model_.next_to_drain(world, endpoint);
    if (event < 0) return;
    const Step step{"drained", endpoint, Byte(event)};
    branch(world, step, [&](World& next) { model_.drain(next, endpoint, event, false); });
    if (world.refusals > 0)
      branch(world, {"drained, refused by the application", endpoint, Byte(event)}, [&](World& next) {
        model_.drain(next, endpoint, event, true);
        --next.refusals;
      });
  }

  void expand_copy(const World& world, Byte i) {
    const Request request = world.copy[i];
    const auto take = [i](World& next) {
      next.copy[i] = next.copy[--next.copy_count];
      next.copy[next.copy_count] = {};
    };
    branch(world, {"late copy arrives", request.endpoint, request.event}, [&](World& next) {
      take(next);
      model_.receive(next, request, false);
    });
    branch(world, {"late copy lost", request.endpoint, request.event}, take);
  }

  // ---- the set of worlds seen: open addressing over indices into worlds_ ----

  static std::size_t hash_of(const World& world) {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&world), sizeof world});
  }
  static bool same(const World& a, const World& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

  void add(const World& world, Step step, std::size_t parent) {
    if ((worlds_.size() + 1) * 2 > table_.size()) grow();
    std::uint32_t& slot = find_slot(world);
    if (slot != kFree) return;
    slot = static_cast<std::uint32_t>(worlds_.size());
    worlds_.push_back(world);
    steps_.push_back(step);
    parents_.push_back(static_cast<std::uint32_t>(parent));
  }

  std::uint32_t& find_slot(const World& world) {
    std::size_t at = hash_of(world) & (table_.size() - 1);
    while (table_[at] != kFree && !same(worlds_[table_[at]], world)) at = (at + 1) & (table_.size() - 1);
    return table_[at];
  }

  void grow() {
    table_.assign(std::max<std::size_t>(1 << 16, table_.size() * 2), kFree);
    for (std::uint32_t i = 0; i < worlds_.size(); ++i) find_slot(worlds_[i]) = i;
  }

  std::string tell(std::size_t i, Step last) const {
    std::vector<Step> steps{last};
    for (; i != 0; i = parents_[i]) steps.push_back(steps_[i]);
    std::string story = model_.violation + "\n";
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
      story += std::string("  ") + step->what + ": event " + std::to_string(sequence_of(step->event)) + " endpoint " +
               std::to_string(step->endpoint) + "\n";
    return story;
  }

  const Bounds& bounds_;
  Model model_;
  std::vector<World> worlds_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> table_;
  std::size_t current_ = 0;
  Step last_step_{"start", 0, 0};
};

TEST(InboxModel, no_small_world_breaks_a_promise) {
  constexpr Bounds worlds[] = {
      {.name = "unordered sending, skip and replay",
       .events = 3,
       .endpoints = 1,
       .per_key = {},
       .skips = 1,
       .replays = 1,
       .out_of_order_replays = 0,
       .copies = 1,
       .dead = 1,
       .refusals = 0},
      {.name = "unordered sending, out of order replay and refusal",
       .events = 3,
       .endpoints = 1,
       .per_key = {},
       .skips = 1,
       .replays = 0,
       .out_of_order_replays = 1,
       .copies = 0,
       .dead = 1,
       .refusals = 1},
      {.name = "per-key sending, everything",
       .events = 3,
       .endpoints = 1,
       .per_key = {true},
       .skips = 1,
       .replays = 1,
       .out_of_order_replays = 1,
       .copies = 1,
       .dead = 2,
       .refusals = 1},
      {.name = "two endpoints",
       .events = 2,
       .endpoints = 2,
       .per_key = {},
       .skips = 1,
       .replays = 0,
       .out_of_order_replays = 1,
       .copies = 0,
       .dead = 1,
       .refusals = 0},
      {.name = "two endpoints and stale copies",
       .events = 2,
       .endpoints = 2,
       .per_key = {},
       .skips = 1,
       .replays = 0,
       .out_of_order_replays = 0,
       .copies = 1,
       .dead = 0,
       .refusals = 0},
      {.name = "two endpoints and a refusal",
       .events = 2,
       .endpoints = 2,
       .per_key = {true, false},
       .skips = 0,
       .replays = 1,
       .out_of_order_replays = 0,
       .copies = 1,
       .dead = 1,
       .refusals = 1},
      {.name = "two endpoints, three events",
       .events = 3,
       .endpoints = 2,
       .per_key = {true, true},
       .skips = 1,
       .replays = 0,
       .out_of_order_replays = 0,
       .copies = 1,
       .dead = 0,
       .refusals = 0},
  };
  for (const Bounds& bounds : worlds) {
    Search search(bounds);
    EXPECT_EQ(search.run(), "") << bounds.name;
    EXPECT_GT(search.size(), 1'000u) << bounds.name;
  }
}

}  // namespace
}  // namespace semel::inbox
