// batch.h: submissions that come together, one after another: what a refused one holds back, and which refusals stand.
//
// Invariant:  I-NO-HOLE  an item whose predecessor of the same ordering key was refused is not accepted either.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/intake/decide.h"

namespace semel::intake {

class Batch {
 public:
  // decide(), and for what comes behind a refused item of its ordering key: refused for now. What is known already is
  // answered as it was, whatever became of its predecessor now.
  Decision judge(const Item& item, std::string_view tenant_name, IntakeView& view);

  // An item that is not judged again, since its refusal stands.
  void note_refusal(const Item& item);

 private:
  bool predecessor_was_refused(const Item& item) const;

  std::set<std::string, std::less<>> refused_lines_;
};

// The same item of the same batch would be refused again whatever else happens.
bool is_final(const Refuse& refuse);

}  // namespace semel::intake
