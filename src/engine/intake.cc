// intake.cc: draw what the decision needs, commit, hand over, answer.
#include "engine/intake.h"

#include <utility>

#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"

namespace semel::engine {
namespace {

constexpr milliseconds kOverloadedWait{1'000};

}  // namespace

idempotency::Fingerprint Intake::fingerprint(TenantKey tenant, const JsonValue& event_object) const {
  return idempotency::fingerprint_event(tenants_.at(tenant).fingerprint_key, event_object);
}

Co<IntakeResult> Intake::submit(IntakeRequest request) {
  if (dispatcher_.overloaded()) co_return Overloaded{kOverloadedWait};

  if (const milliseconds delay = dispatcher_.intake_delay(); delay > milliseconds(0))
    co_await sleep_until(clock_, clock_.now() + delay);

  const WallTime now = clock_.wall();
  store::Intake write_set{.tenant = request.tenant, .client = std::move(request.client), .items = {}, .batch_key = {}};
  std::vector<EventId> ids;
  for (IntakeItem& item : request.items) {
    EventId fresh{make_id("evt_", now, entropy_)};
    ids.push_back(item.submission.id ? EventId{*item.submission.id} : fresh);
    write_set.items.push_back({.submission = std::move(item.submission),
                               .fresh_id = std::move(fresh),
                               .fingerprint = item.fingerprint,
                               .key = request.batch || planted(Planted::key_not_bound) ? std::nullopt : request.key,
                               .accepted_at = now,
                               .position = item.position,
                               .behind_refused = item.behind_refused});
  }
  if (request.batch && request.key)
    write_set.batch_key = store::Intake::BatchKey{
        *request.key, idempotency::fingerprint_batch(tenants_.at(request.tenant).fingerprint_key, request.content)};

  store::CommitAnswer answer = co_await store::commit(
      store_, planted(Planted::doubt_resubmitted_under_new_id) ? write_set : std::move(write_set));
  if (planted(Planted::doubt_resubmitted_under_new_id) && std::holds_alternative<store::Unknown>(answer)) {
    for (intake::Item& item : write_set.items) {
      item.submission.id.reset();
      item.fresh_id = {make_id("evt_", now, entropy_)};
    }
    answer = co_await store::commit(store_, std::move(write_set));
  }
  probe::sometimes<"intake.store_refuses">(std::holds_alternative<store::Refused>(answer));
  if (auto* refused = std::get_if<store::Refused>(&answer)) co_return std::move(*refused);
  if (auto* unknown = std::get_if<store::Unknown>(&answer)) {
    probe::reached<"intake.in_doubt">();
    if (unknown->fatal)
      dispatcher_.fatal(unknown->error.note);
    else if (!planted(Planted::doubt_not_looked_for))
      dispatcher_.look_again(unknown->error.note);
    co_return InDoubt{std::move(ids)};
  }
  SEMEL_CHECK(std::holds_alternative<store::Committed>(answer));  // intake relies on no version, so it cannot conflict
  auto made = std::get<store::IntakeAnswer>(std::move(std::get<store::Committed>(answer).made));
  for (store::ItemAnswer& item : made.items)
    if (auto* taken = std::get_if<store::Taken>(&item); taken && taken->body)
      dispatcher_.take(std::move(taken->fresh), taken->body);
  co_return made;
}

}  // namespace semel::engine
