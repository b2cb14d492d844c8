// effects.cc: what receivers applied: each event once, with its record, and no money made or lost.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/check/body_text.h"
#include "sim/check/groups.h"

namespace semel::sim {
namespace {

// An effect is there exactly when a record says that its event was applied. Only who signs by hand sends entity
// versions, and with them what is superseded: a record without an effect.
class InboxAtomic final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-INBOX-ATOMIC"; }

  void effect_made(const Effect& effect) override {
    effects_[effect.receiver].emplace(effect.source, effect.event.text);
  }

  void hand_signed_effect_made(const Effect& effect) override { effect_made(effect); }

  void inspected(const Inspection& inspection) override {
    for (const ReceiverState& state : inspection.receivers) {
      const Applied& effects = effects_[state.receiver];
      Applied records;
      for (const ReceiverState::Record& record : state.records)
        if (record.applied) records.emplace(record.source, record.event.text);
      for (const auto& [source, event] : records)
        if (!effects.contains({source, event}) && is_of_server(source))
          violated(fmt::format("{} has a record of {} from {} and no effect", state.receiver, event, source));
      for (const auto& [source, event] : effects)
        if (!records.contains({source, event}))
          violated(fmt::format("{} has an effect of {} from {} and no record", state.receiver, event, source));
    }
  }

 private:
  bool is_of_server(const std::string& source) const {
    return std::ranges::find(known_.endpoints, source, &KnownEndpoint::source) != known_.endpoints.end();
  }

  using Applied = std::set<std::pair<std::string, std::string>>;  // source, event
  std::map<std::string, Applied> effects_;                        // by receiver
};

// A receiver applies each event of a source once, whatever id it comes under.
class NoDuplicateEffect final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-NO-DUP-EFFECT"; }

  void effect_made(const Effect& effect) override {
    if (!by_id_.emplace(effect.receiver, effect.source, effect.event.text).second)
      violated(fmt::format("{} applied {} from {} twice", effect.receiver, effect.event.text, effect.source));
    const std::uint64_t number = number_in_data(effect.data);
    if (number != 0 && !by_number_.emplace(effect.receiver, effect.source, number).second)
      violated(fmt::format("{} applied event {} from {} twice, under two ids", effect.receiver, number, effect.source));
  }

 private:
  std::set<std::tuple<std::string, std::string, std::string>> by_id_;
  std::set<std::tuple<std::string, std::string, std::uint64_t>> by_number_;
};

// At a receiver that gets every transfer, the amounts applied add up to what was accepted, which is nothing once both
// halves of each transfer are.
class Conserve final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-CONSERVE"; }

  void effect_made(const Effect& effect) override {
    const MadeEvent* made = books_.made(number_in_data(effect.data));
    if (made && made->amount != 0) applied_[{effect.receiver, effect.source}] += made->amount;
  }

  void inspected(const Inspection& inspection) override {
    if (inspection.when != Inspection::When::end) return;
    std::int64_t accepted = 0;
    std::size_t transfers = 0;
    std::map<Account, std::set<std::string_view>> delivered;
    for (const EventBook& event : books_.events()) {
      const MadeEvent* made = books_.made(event.number);
      if (!made || made->amount == 0) continue;
      accepted += made->amount;
      ++transfers;
    }
    for (const store::DeliveryView& view : inspection.deliveries) {
      const EventBook* event = books_.event(view.id.event.text);
      const MadeEvent* made = event ? books_.made(event->number) : nullptr;
      const KnownEndpoint* endpoint = known_.endpoint(view.id.endpoint);
      if (!made || made->amount == 0 || !endpoint || endpoint->kind != ReceiverKind::honest) continue;
      if (std::holds_alternative<delivery::Delivered>(view.state))
        delivered[{endpoint->receiver, endpoint->source}].insert(view.id.event.text);
    }
    for (const auto& [account, events] : delivered)
      if (events.size() == transfers && applied_[account] != accepted)
        violated(fmt::format("{} was given every transfer and has a balance of {}, accepted were {}", account.first,
                             applied_[account], accepted));
  }

 private:
  using Account = std::pair<std::string, std::string>;  // receiver, source
  std::map<Account, std::int64_t> applied_;
};

}  // namespace

void make_effect_checkers(Making& making) {
  making.add<NoDuplicateEffect>();
  making.add<InboxAtomic>();
  making.add<Conserve>();
}

}  // namespace semel::sim
