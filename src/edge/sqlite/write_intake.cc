// write_intake.cc: submissions are judged by core/intake inside the transaction, and what it accepts is stored.
//
// Of a batch under an Idempotency-Key each item's answer is kept once it stands (its event, or a final refusal); what
// was refused for now is judged again when the batch comes again.
#include <map>
#include <utility>

#include "base/failpoint.h"
#include "base/match.h"
#include "base/probe.h"
#include "core/intake/batch.h"
#include "edge/sqlite/write_sets.h"
#include "port/intake_rows.h"

namespace semel::sqlite {
namespace {

using intake::Refuse;
using store::ItemAnswer;
using store::Taken;
using store::taken_before;

// What the decision may ask of the store, within the open transaction.
class View final : public intake::IntakeView {
 public:
  View(Transaction& transaction, TenantKey tenant, std::string_view client)
      : transaction_(transaction), tenant_(tenant), client_(client) {}

  std::optional<intake::KeyBinding> find_key(const idempotency::KeyHash& hash) override {
    auto row = transaction_.sql.find_event_key.query(tenant_, client_, hash);
    if (!row.next()) return std::nullopt;
    return intake::KeyBinding{row.get<EventKey>(0), row.get<bool>(1)};
  }

  std::optional<intake::StoredEvent> find_event(const EventId& id) override {
    return stored(transaction_.sql.find_event.query(tenant_, id.text));
  }

  intake::StoredEvent event(EventKey key) override {
    return stored(transaction_.sql.read_event.query(key)).value_or(intake::StoredEvent{});
  }

  std::optional<intake::Line> find_line(std::string_view ordering_key) override {
    auto row = transaction_.sql.find_line.query(tenant_, ordering_key);
    line_ = row.next()
                ? std::optional(intake::Line{row.get<LineKey>(0), row.get<intake::NumberedBy>(1), row.get<Sequence>(2)})
                : std::nullopt;
    return line_;
  }

  Sequence tail(EndpointKey endpoint, LineKey line) override {
    auto row = transaction_.sql.find_tail.query(tenant_, endpoint, line);
    return row.next() ? row.get<Sequence>(0) : 0;
  }

  const routing::RoutingTable& routing() override { return transaction_.routing(tenant_).table; }

  EndpointId endpoint_id(EndpointKey endpoint) override { return transaction_.routing(tenant_).ids.at(endpoint); }

  // The line that find_line found last.
  const std::optional<intake::Line>& line() const { return line_; }

 private:
  std::optional<intake::StoredEvent> stored(Statement::Rows row) {
    if (!row.next()) return std::nullopt;
    intake::StoredEvent event{.key = row.get<EventKey>(0),
                              .id = EventId{row.get<std::string>(1)},
                              .fingerprint = row.get<Bytes32>(2),
                              .sequence = row.get<std::optional<Sequence>>(3),
                              .accepted_at = row.get<WallTime>(4)};
    auto endpoints = transaction_.sql.list_event_endpoints.query(tenant_, event.key);
    while (endpoints.next()) event.endpoints.emplace_back(endpoints.get<std::string>(0));
    return event;
  }

  Transaction& transaction_;
  TenantKey tenant_;
  std::string_view client_;
  std::optional<intake::Line> line_;
};

// One submission's answer, with the event it is bound to unless it was refused.
struct Judged {
  ItemAnswer answer;
  std::optional<EventKey> event;
};

// The submissions of one write-set, one after another.
class Submissions {
 public:
  Submissions(Transaction& transaction, const store::Intake& intake, std::string tenant_name)
      : transaction_(transaction), intake_(intake), tenant_name_(std::move(tenant_name)) {}

  Judged judge(const intake::Item& item) {
    View view(transaction_, intake_.tenant, intake_.client);
    return match(
        order_.judge(item, tenant_name_, view),
        [&](intake::Accept accept) { return store_event(item, std::move(accept.event), view); },
        [&](intake::Replay replay) { return answer_again(item, std::move(replay)); },
        [](Refuse refuse) { return Judged{refuse, std::nullopt}; });
  }

  void note_refusal(const intake::Item& item) { order_.note_refusal(item); }

  bool stored_any() const { return stored_any_; }

 private:
  Judged answer_again(const intake::Item& item, intake::Replay replay) {
    const EventKey event = replay.event.key;
    if (replay.bind_key) bind_key(item, event, replay.duplicate);
    return {taken_before(std::move(replay.event), replay.duplicate), event};
  }

  void bind_key(const intake::Item& item, EventKey event, bool duplicate) {
    transaction_.sql.bind_event_key.run(intake_.tenant, intake_.client, *item.key, event, duplicate, item.accepted_at);
  }

  Judged store_event(const intake::Item& item, intake::NewEvent event, const View& view) {
    stored_any_ = true;
    const std::optional<LineKey> line = advance_line(item, event, view);
    const EventKey key{transaction_.sql.insert_event.insert(
        intake_.tenant, event.id.text, item.fingerprint, item.submission.type, line, event.sequence,
        item.submission.correlation_id, item.accepted_at, event.envelope.data_offset, Blob{event.envelope.bytes})};
    if (item.key) bind_key(item, key, false);
    Taken taken{.id = event.id, .sequence = event.sequence, .accepted_at = item.accepted_at};
    const auto& ids = transaction_.routing(intake_.tenant).ids;
    const store::DeliveryOf of{intake_.tenant, key, line, event.sequence, item.accepted_at};
    for (const intake::NewDelivery& made : event.deliveries) {
      taken.endpoints.push_back(ids.at(made.endpoint));
      taken.fresh.push_back(insert_delivery(of, made));
    }
    taken.body = store::make_body(key, item, event);
    return {std::move(taken), key};
  }

  std::optional<LineKey> advance_line(const intake::Item& item, const intake::NewEvent& event, const View& view) {
    if (!item.submission.ordering_key) return std::nullopt;
    if (event.first_of_line)
      return LineKey{transaction_.sql.insert_line.insert(intake_.tenant, *item.submission.ordering_key,
                                                         *event.first_of_line, event.sequence)};
    transaction_.sql.advance_line.run(view.line()->key, event.sequence);
    return view.line()->key;
  }

  store::Delivery insert_delivery(const store::DeliveryOf& of, const intake::NewDelivery& made) {
    const DeliveryKey key{transaction_.sql.insert_delivery.insert(of.tenant, of.event, made.endpoint, of.line,
                                                                  of.sequence, made.after, of.accepted_at)};
    if (of.line) transaction_.sql.advance_tail.run(of.tenant, made.endpoint, *of.line, of.sequence);
    return store::fresh_delivery(key, of, made);
  }

  Transaction& transaction_;
  const store::Intake& intake_;
  std::string tenant_name_;
  intake::Batch order_;
  bool stored_any_ = false;
};

// The record of a batch under its key.
struct BatchRecord {
  std::int64_t batch;
  std::map<std::size_t, Judged> settled;  // by position
};

struct KeyReused {};

std::map<std::size_t, Judged> read_settled(Transaction& transaction, const store::Intake& intake, std::int64_t batch) {
  View view(transaction, intake.tenant, intake.client);
  std::map<std::size_t, Judged> settled;
  auto rows = transaction.sql.list_batch_items.query(intake.tenant, batch);
  while (rows.next()) {
    const auto event = rows.get<std::optional<EventKey>>(1);
    const ItemAnswer answer = event
                                  ? ItemAnswer(taken_before(view.event(*event), rows.get<bool>(2)))
                                  : ItemAnswer(Refuse{rows.get<Refuse::Why>(3), rows.get<std::optional<Sequence>>(4)});
    settled.emplace(rows.get<std::size_t>(0), Judged{answer, event});
  }
  return settled;
}

std::variant<BatchRecord, KeyReused> open_batch(Transaction& transaction, const store::Intake& intake) {
  std::optional<std::pair<std::int64_t, Bytes32>> found;
  {
    auto row = transaction.sql.find_batch_key.query(intake.tenant, intake.client, intake.batch_key->hash);
    if (row.next()) found.emplace(row.get<std::int64_t>(0), row.get<Bytes32>(1));
  }
  probe::sometimes<"sqlite.batch_known">(found.has_value());
  if (found && found->second != intake.batch_key->content) return KeyReused{};
  if (found) return BatchRecord{found->first, read_settled(transaction, intake, found->first)};
  const std::int64_t batch = transaction.sql.insert_batch.insert(intake.tenant, intake.batch_key->content);
  transaction.sql.bind_batch_key.run(intake.tenant, intake.client, intake.batch_key->hash, batch,
                                     intake.items.front().accepted_at);
  return BatchRecord{batch, {}};
}

void settle_item(Transaction& transaction, TenantKey tenant, std::int64_t batch, std::size_t position,
                 const Judged& judged) {
  if (const auto* refuse = std::get_if<Refuse>(&judged.answer)) {
    if (intake::is_final(*refuse))
      transaction.sql.insert_batch_item.run(tenant, batch, position, std::nullopt, std::nullopt, refuse->why,
                                            refuse->expected);
    return;
  }
  transaction.sql.insert_batch_item.run(tenant, batch, position, judged.event, std::get<Taken>(judged.answer).duplicate,
                                        std::nullopt, std::nullopt);
}

store::IntakeAnswer take_one_by_one(Submissions& submissions, const store::Intake& intake) {
  store::IntakeAnswer answer;
  for (const intake::Item& item : intake.items) answer.items.push_back(submissions.judge(item).answer);
  return answer;
}

store::IntakeAnswer take_batch(Transaction& transaction, Submissions& submissions, const store::Intake& intake) {
  auto opened = open_batch(transaction, intake);
  if (std::holds_alternative<KeyReused>(opened)) return {.batch_key_reused = true};
  auto& record = std::get<BatchRecord>(opened);
  store::IntakeAnswer answer{.batch_replayed = record.settled.size() == intake.items.size()};
  for (const intake::Item& item : intake.items) {
    if (const auto settled = record.settled.find(item.position); settled != record.settled.end()) {
      if (std::holds_alternative<Refuse>(settled->second.answer)) submissions.note_refusal(item);
      answer.items.push_back(settled->second.answer);
      continue;
    }
    Judged judged = submissions.judge(item);
    settle_item(transaction, intake.tenant, record.batch, item.position, judged);
    answer.items.push_back(std::move(judged.answer));
  }
  return answer;
}

}  // namespace

store::CommitAnswer write(Transaction& transaction, const store::Intake& intake) {
  if (intake.items.empty()) return store::Refused{{Fault::invalid, "there is nothing to take in"}};
  const Transaction::Tenant* tenant = transaction.tenant(intake.tenant);
  if (!tenant) return store::Refused{{Fault::not_found, "there is no such tenant"}};
  Submissions submissions(transaction, intake, tenant->name);
  store::IntakeAnswer answer =
      intake.batch_key ? take_batch(transaction, submissions, intake) : take_one_by_one(submissions, intake);
  if (submissions.stored_any()) failpoint("enq.after_insert");
  return store::Committed{std::move(answer)};
}

}  // namespace semel::sqlite
