// inbox_answers.cc: what an inbox says on the wire is so in its database.
#include <fmt/format.h>

#include <set>
#include <tuple>

#include "sim/check/groups.h"

namespace semel::sim {
namespace {

// Whoever was told `applied` or `duplicate` finds the effect there in the end; who was not verified has none.
class AckAfterCommit final : public Checker {
 public:
  AckAfterCommit(const Known& known, Violated violated, const Books&) : Checker(known, std::move(violated)) {}
  std::string_view name() const override { return "I-ACK-AFTER-COMMIT"; }

  void inbox_answered(const InboxAnswer& answer) override {
    const bool says_applied =
        answer.status / 100 == 2 && (answer.disposition == "applied" || answer.disposition == "duplicate");
    if (says_applied) said_applied_.insert({answer.receiver, answer.source, answer.event.text});
  }
  void effect_made(const Effect& effect) override {
    there_.insert({effect.receiver, effect.source, effect.event.text});
  }
  void hand_signed_effect_made(const Effect& effect) override {
    if (!there_.insert({effect.receiver, effect.source, effect.event.text}).second)
      violated(fmt::format("{} applied {} of {} twice", effect.receiver, effect.event.text, effect.source));
    if (effect.event.text.starts_with("forged"))
      violated(fmt::format("{} applied {}, whose signature is false", effect.receiver, effect.event.text));
  }
  void inspected(const Inspection& found) override {
    if (found.when != Inspection::When::end) return;
    for (const Key& key : said_applied_)
      if (!there_.contains(key))
        violated(fmt::format("{} said that {} of {} was applied; no effect is there", std::get<0>(key),
                             std::get<2>(key), std::get<1>(key)));
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // receiver, source, event
  std::set<Key> said_applied_;
  std::set<Key> there_;
};

}  // namespace

void make_inbox_answer_checkers(Making& making) { making.add<AckAfterCommit>(); }

}  // namespace semel::sim
