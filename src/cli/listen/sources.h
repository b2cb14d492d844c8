// sources.h: which secrets verify, from files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/inbox.h"

namespace semel::cli {

// Each of `named` is NAME=FILE; the file holds one whsec_.., whsk_.. or whpk_.. text a line. A name that comes again
// adds its keys (rotation).
Result<std::vector<client::InboxSource>> read_sources(const std::vector<std::string>& named);

}  // namespace semel::cli
