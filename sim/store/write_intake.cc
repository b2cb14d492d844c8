// write_intake.cc: submissions are judged by core/intake, and what it accepts is stored.
//
// Of a batch under an Idempotency-Key each item's answer is kept once it stands (its event, or a final refusal); what
// was refused for now is judged again when the batch comes again.
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "base/match.h"
#include "core/intake/batch.h"
#include "port/intake_rows.h"
#include "sim/store/write_sets.h"

namespace semel::sim {
namespace {

using intake::Refuse;
using store::ItemAnswer;
using store::Taken;
using store::taken_before;

class View final : public intake::IntakeView {
 public:
  View(Tables& tables, TenantRow& tenant, const std::string& client)
      : tables_(tables), tenant_(tenant), client_(client) {}

  std::optional<intake::KeyBinding> find_key(const idempotency::KeyHash& hash) override {
    const auto found = tenant_.event_keys.find({client_, hash});
    return found == tenant_.event_keys.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<intake::StoredEvent> find_event(const EventId& id) override {
    const auto found = tenant_.events.find(id);
    return found == tenant_.events.end() ? std::nullopt : std::optional(event(found->second));
  }

  intake::StoredEvent event(EventKey key) override {
    const EventRow& row = tables_.events.at(key);
    intake::StoredEvent stored{.key = key,
                               .id = row.body->id,
                               .fingerprint = row.fingerprint,
                               .sequence = row.body->sequence,
                               .accepted_at = row.accepted_at,
                               .endpoints = {}};
    for (const DeliveryKey delivery : row.deliveries)
      stored.endpoints.push_back(endpoint_id(tables_.deliveries.at(delivery).row.endpoint));
    return stored;
  }

  std::optional<intake::Line> find_line(std::string_view ordering_key) override {
    const auto found = tenant_.lines.find(ordering_key);
    if (found == tenant_.lines.end()) return std::nullopt;
    const LineRow& row = tables_.lines.at(found->second);
    return intake::Line{found->second, row.numbered_by, row.last};
  }

  Sequence tail(EndpointKey endpoint, LineKey line) override {
    const auto& lines = tables_.endpoints.at(endpoint).lines;
    const auto found = lines.find(line);
    return found == lines.end() ? 0 : found->second.last;
  }

  const routing::RoutingTable& routing() override { return tables_.routing(tenant_); }
  EndpointId endpoint_id(EndpointKey endpoint) override { return tables_.endpoints.at(endpoint).row.id; }

 private:
  Tables& tables_;
  TenantRow& tenant_;
  const std::string& client_;
};

// One submission's answer, with the event it is bound to unless it was refused.
struct Judged {
  ItemAnswer answer;
  std::optional<EventKey> event;
};

// One write-set. Unlike the others it finds out that it breaks a rule when some of it is stored already; each change
// notes how it is taken back.
class IntakeWriter {
 public:
  IntakeWriter(Tables& tables, TenantRow& tenant, const store::Intake& intake)
      : tables_(tables), tenant_(tenant), intake_(intake), view_(tables, tenant, intake.client) {}

  store::CommitAnswer write() {
    store::IntakeAnswer answer = intake_.batch_key ? take_batch() : take_one_by_one();
    if (!broken_rule_) return store::Committed{std::move(answer)};
    for (; !undo_.empty(); undo_.pop_back()) undo_.back()();
    return breaks_rule(*broken_rule_);
  }

 private:
  store::IntakeAnswer take_one_by_one() {
    store::IntakeAnswer answer;
    for (const intake::Item& item : intake_.items) {
      if (broken_rule_) break;
      answer.items.push_back(judge(item).answer);
    }
    return answer;
  }

  store::IntakeAnswer take_batch() {
    const std::optional<BatchKey> batch = open_batch();
    if (!batch) return {.batch_key_reused = true};
    const auto settled = tables_.batches.at(*batch).items;  // as it was before: a position is settled once
    store::IntakeAnswer answer{.batch_replayed = settled.size() == intake_.items.size()};
    for (const intake::Item& item : intake_.items) {
      if (broken_rule_) break;
      if (const auto found = settled.find(item.position); found != settled.end()) {
        if (std::holds_alternative<Refuse>(found->second)) order_.note_refusal(item);
        answer.items.push_back(answer_settled(found->second));
        continue;
      }
      Judged judged = judge(item);
      settle_item(*batch, item.position, judged);
      answer.items.push_back(std::move(judged.answer));
    }
    return answer;
  }

  // nullopt: its key is bound to other content.
  std::optional<BatchKey> open_batch() {
    const TenantRow::CallersKey key{intake_.client, intake_.batch_key->hash};
    if (const auto found = tenant_.batch_keys.find(key); found != tenant_.batch_keys.end()) {
      const bool same = tables_.batches.at(found->second).content == intake_.batch_key->content;
      return same ? std::optional(found->second) : std::nullopt;
    }
    const BatchKey batch = tables_.batches.add({.content = intake_.batch_key->content, .items = {}});
    tenant_.batch_keys.emplace(key, batch);
    undo_.emplace_back([this, key] {
      tenant_.batch_keys.erase(key);
      tables_.batches.take_back_last();
    });
    return batch;
  }

  ItemAnswer answer_settled(const std::variant<intake::KeyBinding, Refuse>& settled) {
    return match(
        settled,
        [&](const intake::KeyBinding& bound) -> ItemAnswer {
          return taken_before(view_.event(bound.event), bound.answered_duplicate);
        },
        [](const Refuse& refuse) -> ItemAnswer { return refuse; });
  }

  void settle_item(BatchKey batch, std::size_t position, const Judged& judged) {
    const auto* refuse = std::get_if<Refuse>(&judged.answer);
    if (broken_rule_ || (refuse && !intake::is_final(*refuse))) return;
    auto& items = tables_.batches.at(batch).items;
    const bool is_new =
        refuse
            ? items.try_emplace(position, *refuse).second
            : items.try_emplace(position, intake::KeyBinding{*judged.event, std::get<Taken>(judged.answer).duplicate})
                  .second;
    if (!is_new) return breaks("an item of a batch is settled once");
    undo_.emplace_back([&items, position] { items.erase(position); });
  }

  Judged judge(const intake::Item& item) {
    return match(
        order_.judge(item, tenant_.row.name, view_),
        [&](intake::Accept accept) { return store_event(item, std::move(accept.event)); },
        [&](intake::Replay replay) { return answer_again(item, std::move(replay)); },
        [](Refuse refuse) { return Judged{refuse, std::nullopt}; });
  }

  Judged answer_again(const intake::Item& item, intake::Replay replay) {
    const EventKey event = replay.event.key;
    if (replay.bind_key) bind_key(item, event, replay.duplicate);
    return {taken_before(std::move(replay.event), replay.duplicate), event};
  }

  void bind_key(const intake::Item& item, EventKey event, bool duplicate) {
    const TenantRow::CallersKey key{intake_.client, *item.key};
    if (!tenant_.event_keys.try_emplace(key, intake::KeyBinding{event, duplicate}).second)
      return breaks("a key is bound once");
    undo_.emplace_back([this, key] { tenant_.event_keys.erase(key); });
  }

  Judged store_event(const intake::Item& item, intake::NewEvent fresh) {
    const std::optional<LineKey> line = advance_line(item, fresh);
    const EventKey key = add_event(item, fresh, line);
    if (broken_rule_) return {Taken{.id = fresh.id, .sequence = fresh.sequence, .accepted_at = item.accepted_at}, key};
    if (item.key) bind_key(item, key, false);
    Taken taken{.id = fresh.id, .sequence = fresh.sequence, .accepted_at = item.accepted_at};
    const store::DeliveryOf of{intake_.tenant, key, line, fresh.sequence, item.accepted_at};
    for (const intake::NewDelivery& made : fresh.deliveries) {
      taken.endpoints.push_back(view_.endpoint_id(made.endpoint));
      taken.fresh.push_back(add_delivery(of, made));
    }
    taken.body = tables_.events.at(key).body;
    return {std::move(taken), key};
  }

  std::optional<LineKey> advance_line(const intake::Item& item, const intake::NewEvent& fresh) {
    if (!item.submission.ordering_key) return std::nullopt;
    if (*fresh.sequence == 0) breaks("events of an ordering key are numbered from 1");
    const std::string& ordering_key = *item.submission.ordering_key;
    if (fresh.first_of_line) {
      const LineKey line = tables_.lines.add({ordering_key, *fresh.first_of_line, *fresh.sequence});
      tenant_.lines.emplace(ordering_key, line);
      undo_.emplace_back([this, ordering_key] {
        tenant_.lines.erase(ordering_key);
        tables_.lines.take_back_last();
      });
      return line;
    }
    const LineKey line = tenant_.lines.at(ordering_key);
    Sequence& last = tables_.lines.at(line).last;
    undo_.emplace_back([&last, before = last] { last = before; });
    last = *fresh.sequence;
    return line;
  }

  EventKey add_event(const intake::Item& item, intake::NewEvent& fresh, std::optional<LineKey> line) {
    const EventKey key{tables_.events.last().value + 1};
    if (!tenant_.events.try_emplace(fresh.id, key).second) {
      breaks("an event's id is given once");
      return key;
    }
    undo_.emplace_back([this, id = fresh.id] {
      tenant_.events.erase(id);
      tables_.events.take_back_last();
    });
    return tables_.events.add({.tenant = intake_.tenant,
                               .fingerprint = item.fingerprint,
                               .line = line,
                               .accepted_at = item.accepted_at,
                               .body = store::make_body(key, item, fresh),
                               .deliveries = {}});
  }

  store::Delivery add_delivery(const store::DeliveryOf& of, const intake::NewDelivery& made) {
    if (of.line) {
      Sequence& last = tables_.endpoints.at(made.endpoint).lines[*of.line].last;
      undo_.emplace_back([&last, before = last] { last = before; });
      last = *of.sequence;
    }
    const DeliveryKey key = tables_.add(store::fresh_delivery({}, of, made));
    undo_.emplace_back([this, key] { tables_.take_back(key); });
    return tables_.deliveries.at(key).row;
  }

  void breaks(std::string rule) {
    if (!broken_rule_) broken_rule_ = std::move(rule);
  }

  Tables& tables_;
  TenantRow& tenant_;
  const store::Intake& intake_;
  View view_;
  intake::Batch order_;
  std::optional<std::string> broken_rule_;
  std::vector<std::move_only_function<void()>> undo_;
};

}  // namespace

store::CommitAnswer write(Tables& tables, const store::Intake& intake) {
  if (intake.items.empty()) return refused(Fault::invalid, "there is nothing to take in");
  TenantRow* tenant = tables.tenants.find(intake.tenant);
  if (!tenant) return refused(Fault::not_found, "there is no such tenant");
  return IntakeWriter(tables, *tenant, intake).write();
}

}  // namespace semel::sim
