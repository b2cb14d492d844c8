// batch.cc: over decide().
#include "core/intake/batch.h"

#include <variant>

namespace semel::intake {
namespace {

bool speaks_of_order(const Decision& decision) {
  if (const auto* refuse = std::get_if<Refuse>(&decision))
    return refuse->why != Refuse::Why::key_reused && refuse->why != Refuse::Why::id_reused;
  return std::holds_alternative<Accept>(decision);
}

}  // namespace

Decision Batch::judge(const Item& item, std::string_view tenant_name, IntakeView& view) {
  Decision decision = decide(item, tenant_name, view);
  if (predecessor_was_refused(item) && speaks_of_order(decision))
    decision = Refuse{Refuse::Why::predecessor_refused, std::nullopt};
  if (std::holds_alternative<Refuse>(decision)) note_refusal(item);
  return decision;
}

void Batch::note_refusal(const Item& item) {
  if (item.submission.ordering_key) refused_lines_.insert(*item.submission.ordering_key);
}

bool Batch::predecessor_was_refused(const Item& item) const {
  return item.behind_refused ||
         (item.submission.ordering_key && refused_lines_.contains(*item.submission.ordering_key));
}

bool is_final(const Refuse& refuse) { return refuse.why != Refuse::Why::predecessor_refused; }

}  // namespace semel::intake
