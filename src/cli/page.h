// page.h: the options of commands that list: --limit, --cursor, --json.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/output.h"

namespace semel::cli {

struct Page {
  std::string limit;
  std::string cursor;
  Output output = Output::text;

  // `target` with `filters` and what of these was given as its query.
  std::string target(std::string_view path, std::vector<std::pair<std::string_view, std::string>> filters) const;
};

void add_page_options(CLI::App& command, Page& page);

}  // namespace semel::cli
