// checks.h: what doctor looks at.
#pragma once

#include <string>
#include <vector>

#include "app/config.h"
#include "base/time.h"

namespace semel::cli {

struct Finding {
  enum class Verdict { good, note, bad };
  Verdict verdict;
  std::string subject;
  std::string text;
  std::string advice;  // what to do; empty when there is nothing to do
};

std::vector<Finding> check_everything(const app::Config& config);

Finding check_sqlite(int version_number);  // as sqlite3_libversion_number() says it: 3040001
Finding check_openssl();
Finding check_store(const std::string& database);
Finding check_master_key(const MasterKeyFile& file, bool store_exists);
Finding check_clock(WallTime now);
Finding check_egress(const std::vector<egress::AllowedRange>& allowed);
Finding check_listener(const egress::SocketAddress& listen);  // asks SEMEL_URL where that is set

}  // namespace semel::cli
