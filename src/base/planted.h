// planted.h: known faults, built into one extra build (-DSEMEL_PLANTED=ON) to show that the simulator finds them.
//
// In every other build planted() is a constant false, so the faulty branch is not compiled in. At most one fault is
// switched on at a time. What each one breaks, and which worlds show it: sim/planted/.
// Threads: switch_on before the first thread.
#pragma once

#include <cstdint>
#include <optional>

namespace semel {

enum class Planted : std::uint8_t {
  // intake and store
  acknowledge_before_commit,
  synchronous_normal,
  fence_forgotten,
  fence_on_attempts_only,
  version_forgotten,
  checkpoint_start_rule_broken,
  doubt_resubmitted_under_new_id,
  doubt_not_looked_for,
  key_not_bound,
  fingerprint_ignored,
  batch_goes_on_after_refusal,
  sequence_without_after,
  after_counts_unsent_events,
  delete_endpoint_cancels_nothing,
  secret_stored_plain,
  // listener, dispatcher and client
  connections_without_bound,
  attempt_row_after_send,
  new_id_per_retry,
  replay_with_new_id,
  envelope_changes_on_retry,
  client_resends_by_itself,
  delivered_on_partial_answer,
  unknown_counts_as_failed,
  redirect_counts_as_delivered,
  budget_not_kept,
  backoff_ignored,
  wall_jump_ends_a_wait,
  dead_does_not_hold_its_key,
  dead_letter_drops_sequence,
  doubt_forgotten_at_death,
  recovery_forgets_parked,
  lapsed_attempt_forgotten,
  put_back_forgotten,
  slow_endpoint_holds_all,
  guard_trusts_first_answer,
  // inbox
  dedup_in_own_transaction,
  parked_answered_duplicate,
  late_answered_duplicate,
  parked_not_stored,
  park_without_bound,
  parked_drained_twice,
};
inline constexpr int kPlantedCount = static_cast<int>(Planted::parked_drained_twice) + 1;

#ifdef SEMEL_PLANTED
bool planted(Planted fault);
void switch_on(std::optional<Planted> fault);
#else
constexpr bool planted(Planted) { return false; }
#endif

}  // namespace semel
