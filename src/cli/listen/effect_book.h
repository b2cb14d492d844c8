// effect_book.h: what `semel listen` does with an event: one row, in the inbox's transaction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/listen/ledger.h"
#include "client/inbox.h"
#include "client/statement.h"

namespace semel::cli {

struct EffectRules {
  std::vector<std::string> refused_types;  // answered `rejected`, reason type_refused
  bool keep_data = false;
};

class EffectBook {
 public:
  static Result<EffectBook> open(sqlite3* db, EffectRules rules);

  client::EffectAnswer write(const inbox::Arrival& arrival, std::string_view body);

  Result<std::int64_t> last_effect_no();

  // Adds to the ledger every committed effect it does not hold yet. Fault::conflict: it holds effects that this
  // database does not, so it is another one's.
  Result<void> copy_to(Ledger& ledger);

 private:
  EffectBook(EffectRules rules, client::Statement insert, client::Statement list, client::Statement last)
      : rules_(std::move(rules)), insert_(std::move(insert)), list_(std::move(list)), last_(std::move(last)) {}

  EffectRules rules_;
  client::Statement insert_;
  client::Statement list_;
  client::Statement last_;
};

}  // namespace semel::cli
