// planted.cc: one row per fault.
#include "sim/planted/planted.h"

#include <algorithm>
#include <array>

namespace semel::sim {
namespace {

constexpr std::array<PlantedFault, kPlantedCount> kFaults{{
    {Planted::acknowledge_before_commit, "acknowledge_before_commit",
     "the SQLite writer answers `committed` and leaves its transaction open until the next group", StoreNeeded::sqlite,
     "I-ACK-DURABLE"},
    {Planted::synchronous_normal, "synchronous_normal",
     "the store opens with synchronous=NORMAL, so that the power takes acknowledged commits", StoreNeeded::sqlite,
     "I-ACK-DURABLE"},
    {Planted::fence_forgotten, "fence_forgotten",
     "a write of a dead incarnation is taken although a later one owns the store", StoreNeeded::any, "I-FENCE"},
    {Planted::fence_on_attempts_only, "fence_on_attempts_only",
     "attempts are held against the fence, a replay of a dead incarnation is not", StoreNeeded::any, "I-FENCE"},
    {Planted::version_forgotten, "version_forgotten",
     "a delivery is changed wherever it stands: a deletion or a replay is overwritten by what was decided before it",
     StoreNeeded::any, "I-QUIESCE"},
    {Planted::checkpoint_start_rule_broken, "checkpoint_start_rule_broken",
     "a checkpoint may start on a log that is fully copied and has had no commit since", StoreNeeded::sqlite,
     "I-CHECKPOINT-START"},
    {Planted::doubt_resubmitted_under_new_id, "doubt_resubmitted_under_new_id",
     "after a commit in doubt intake commits the same submission again under another event id", StoreNeeded::any,
     "I-NO-DUP-EFFECT"},
    {Planted::doubt_not_looked_for, "doubt_not_looked_for",
     "what a commit in doubt stored all the same is sent only after the next start", StoreNeeded::any,
     "I-AT-LEAST-ONCE"},
    {Planted::key_not_bound, "key_not_bound",
     "the Idempotency-Key of an event is not kept, so its repetition is another event", StoreNeeded::any,
     "I-NO-DUP-EFFECT"},
    {Planted::fingerprint_ignored, "fingerprint_ignored",
     "another content under a known key or id is answered with the first event", StoreNeeded::any, "I-IDEM-FP"},
    {Planted::batch_goes_on_after_refusal, "batch_goes_on_after_refusal",
     "behind an item that cannot be read a batch takes in further items of its ordering key", StoreNeeded::any,
     "I-NO-HOLE"},
    {Planted::sequence_without_after, "sequence_without_after",
     "keyed events leave without `after`, so that an inbox applies them as they come", StoreNeeded::any, "I-ORDER-KEY"},
    {Planted::after_counts_unsent_events, "after_counts_unsent_events",
     "`after` is the sequence less one, also where the endpoint was never given that event", StoreNeeded::any,
     "I-PARK-TERMINAL"},
    {Planted::delete_endpoint_cancels_nothing, "delete_endpoint_cancels_nothing",
     "the open deliveries of a deleted endpoint stay open for ever", StoreNeeded::any, "I-QUIESCE"},
    {Planted::secret_stored_plain, "secret_stored_plain", "an endpoint's secret stands unsealed in the store",
     StoreNeeded::any, "I-SECRET-ZERO"},
    {Planted::connections_without_bound, "connections_without_bound",
     "the listener serves every connection; only a crowd shows it", StoreNeeded::any, "I-BOUNDED"},
    {Planted::attempt_row_after_send, "attempt_row_after_send",
     "the request leaves before the attempt's row is committed", StoreNeeded::any, "I-ATTEMPT-LEDGER"},
    {Planted::new_id_per_retry, "new_id_per_retry", "each retry carries another event id", StoreNeeded::any,
     "I-STABLE-ID"},
    {Planted::replay_with_new_id, "replay_with_new_id", "a replay carries another event id than the first round",
     StoreNeeded::any, "I-STABLE-ID"},
    {Planted::envelope_changes_on_retry, "envelope_changes_on_retry", "each retry says another time of acceptance",
     StoreNeeded::any, "I-STABLE-ID"},
    {Planted::client_resends_by_itself, "client_resends_by_itself",
     "the HTTP client sends a second time when the connection broke", StoreNeeded::any, "I-ATTEMPT-LEDGER"},
    {Planted::delivered_on_partial_answer, "delivered_on_partial_answer",
     "a 2xx whose body was cut off counts as delivered", StoreNeeded::any, "I-MARK-AFTER-2XX"},
    {Planted::unknown_counts_as_failed, "unknown_counts_as_failed",
     "an attempt whose request left and whose answer never came counts as a plain failure", StoreNeeded::any,
     "I-UNKNOWN-NOT-FAILED"},
    {Planted::redirect_counts_as_delivered, "redirect_counts_as_delivered", "a 3xx counts as delivered",
     StoreNeeded::any, "I-MARK-AFTER-2XX"},
    {Planted::budget_not_kept, "budget_not_kept", "attempts are not counted, so that a policy by number never ends",
     StoreNeeded::any, "I-RETRY-BOUND"},
    {Planted::backoff_ignored, "backoff_ignored",
     "a failed delivery is due again at once, whatever policy and Retry-After say", StoreNeeded::any, "I-BACKOFF-MONO"},
    {Planted::wall_jump_ends_a_wait, "wall_jump_ends_a_wait",
     "an endpoint's wait ends when the wall clock jumps over its end", StoreNeeded::any, "I-BACKOFF-MONO"},
    {Planted::dead_does_not_hold_its_key, "dead_does_not_hold_its_key",
     "behind a dead delivery of a per-key endpoint the later ones of its key are sent", StoreNeeded::any,
     "I-ORDER-KEY"},
    {Planted::dead_letter_drops_sequence, "dead_letter_drops_sequence", "a dead delivery is shown without its sequence",
     StoreNeeded::any, "I-DLQ-COMPLETE"},
    {Planted::doubt_forgotten_at_death, "doubt_forgotten_at_death",
     "a delivery that dies of a plain failure does not say that an earlier attempt may have happened", StoreNeeded::any,
     "I-UNKNOWN-NOT-FAILED"},
    {Planted::recovery_forgets_parked, "recovery_forgets_parked",
     "parked deliveries are not loaded at the start and never asked for again", StoreNeeded::any, "I-PARK-TERMINAL"},
    {Planted::lapsed_attempt_forgotten, "lapsed_attempt_forgotten",
     "an attempt without outcome is left in flight for ever at the start", StoreNeeded::any, "I-AT-LEAST-ONCE"},
    {Planted::put_back_forgotten, "put_back_forgotten",
     "a delivery whose attempt the store refused is not sent again by this process", StoreNeeded::any,
     "I-AT-LEAST-ONCE"},
    {Planted::slow_endpoint_holds_all, "slow_endpoint_holds_all",
     "one attempt at a time is under way, so that a slow endpoint holds all others", StoreNeeded::any,
     "I-HOL-ISOLATION"},
    {Planted::guard_trusts_first_answer, "guard_trusts_first_answer",
     "only the first address of a name is checked, and any of them may be connected to", StoreNeeded::any,
     "I-SSRF-PEER"},
    {Planted::dedup_in_own_transaction, "dedup_in_own_transaction",
     "the inbox commits the effect and the record of its id in two transactions", StoreNeeded::any, "I-INBOX-ATOMIC"},
    {Planted::parked_answered_duplicate, "parked_answered_duplicate",
     "a parked event that comes again is called a duplicate and forgotten", StoreNeeded::any, "I-PARK"},
    {Planted::late_answered_duplicate, "late_answered_duplicate",
     "an event that its line has passed is called a duplicate; only a sender that skips shows it", StoreNeeded::any,
     "I-ORDER-KEY"},
    {Planted::parked_not_stored, "parked_not_stored", "an event is answered `parked` and not kept", StoreNeeded::any,
     "I-PARK"},
    {Planted::park_without_bound, "park_without_bound",
     "the quota of parked events is ignored; over a thousand of one line show it", StoreNeeded::any, "I-BOUNDED"},
    {Planted::parked_drained_twice, "parked_drained_twice",
     "a parked event whose turn has come is applied by two drains", StoreNeeded::any, "I-NO-DUP-EFFECT"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kFaults.size(); ++i)
    if (kFaults[i].fault != static_cast<Planted>(i) || kFaults[i].name.empty()) return false;
  return true;
}
static_assert(in_order(), "one row per fault, in the order of the enumeration");

}  // namespace

std::span<const PlantedFault> planted_faults() { return kFaults; }

const PlantedFault* find(std::string_view name) {
  const auto* found = std::ranges::find(kFaults, name, &PlantedFault::name);
  return found == kFaults.end() ? nullptr : found;
}

}  // namespace semel::sim
