// page.cc: options of lists.
#include "cli/page.h"

#include <CLI/CLI.hpp>

namespace semel::cli {

std::string Page::target(std::string_view path, std::vector<std::pair<std::string_view, std::string>> filters) const {
  filters.emplace_back("limit", limit);
  filters.emplace_back("cursor", cursor);
  const std::string query = query_string(filters);
  return std::string(path) + (query.empty() ? "" : "?" + query);
}

void add_page_options(CLI::App& command, Page& page) {
  command.add_option("--limit", page.limit, "rows of this page, 1 to 500 (50)");
  command.add_option("--cursor", page.cursor, "go on behind this row; the page before names it");
  add_json_flag(command, page.output);
}

}  // namespace semel::cli
