// step.h: every change of a delivery's state, as one pure function per input.
//
// Decides:    next state and record, and what follows for others of its line, as data.
// Invariants: I-NO-SEND-AFTER-CONFIRM  no attempt starts on a delivery that is over;
//             I-MARK-AFTER-2XX         Delivered comes only from a verdict that says so;
//             I-RETRY-BOUND            only attempts that count use up the policy.
// On a crash: nothing is held here; InFlight rows found at start go through `lapsed`.
#pragma once

#include <expected>
#include <optional>

#include "core/delivery/state.h"
#include "core/retry/judge.h"

namespace semel::delivery {

// Why an input changes nothing. Normal, and counted.
enum class Ignored : std::uint8_t { not_sendable, not_in_flight, already_over };
const char* name_of(Ignored reason);

// What the engine has to do beyond storing the new state.
enum class Consequence : std::uint8_t {
  none,
  line_moves,  // this delivery closed: the next of its ordering key may become sendable, parked ones are asked at once
};

struct Transition {
  State next;
  Record record;
  Consequence consequence = Consequence::none;
};
using Step = std::expected<Transition, Ignored>;

// An attempt begins: due, unknown and parked deliveries can start one, whenever the caller found it admitted.
Step start_attempt(const State& state, const Record& record, WallTime now);

// The attempt in flight came back and was judged.
Step settle(const State& state, const Record& record, const retry::Verdict& verdict, WallTime now);

// The process that had the attempt in flight is gone: unknown, due at once, not counted.
Step lapsed(const State& state, const Record& record, WallTime now);

// A person asks for it again: opens the next round of one that is over; makes an open one due now
// (Replay::already_open).
struct Replay {
  Transition transition;
  bool already_open;
};
std::expected<Replay, Ignored> replay(const State& state, const Record& record, WallTime now);

// Its endpoint is deleted, or it is cancelled for another reason.
Step cancel(const State& state, const Record& record, std::string reason, WallTime now);

}  // namespace semel::delivery
