// vectors_test.cc: every row of tests/vectors/egress.tsv that can be decided without a network.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/egress/url.h"

namespace semel::egress {
namespace {

struct Row {
  std::string id;
  std::string kind;
  std::string input;
  std::string expected;
};

std::vector<Row> read_rows() {
  std::ifstream file(SEMEL_SOURCE_DIR "/tests/vectors/egress.tsv");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == '\t')
        cells.emplace_back();
      else
        cells.back() += c;
    }
    if (cells.size() < 4)
      ADD_FAILURE() << "a row has at least four cells: " << line;
    else
      rows.push_back({cells[0], cells[1], cells[2], cells[3]});
  }
  return rows;
}

std::string in_url(const std::string& ip) { return ip.contains(':') ? "https://[" + ip + "]/" : "https://" + ip + "/"; }
const char* word(bool allowed) { return allowed ? "allow" : "deny"; }

const char* decide(const Row& row) {
  if (row.kind == "url") return word(parse_url(row.input, {}).has_value());
  const IpAddress ip = parse_ip(row.input).value();
  if (row.kind == "address") return word(is_public(ip) && parse_url(in_url(row.input), {}).has_value());
  const EgressRules rules{.nat64_prefixes = {parse_network("2001:4860:64::/96").value()}};
  return word(may_connect(rules, Scheme::https, {ip, 443}));
}

TEST(EgressVectors, each_row_is_denied_or_allowed_as_it_says) {
  std::map<std::string, int> decided;
  for (const Row& row : read_rows()) {
    if (row.kind == "dns" || row.kind == "answer") continue;  // need a resolver or a receiver: src/http
    ++decided[row.kind];
    EXPECT_EQ(decide(row), row.expected) << row.id << ": " << row.input;
  }
  EXPECT_GE(decided["url"], 185);
  EXPECT_GE(decided["address"], 167);
  EXPECT_GE(decided["nat64"], 1);
}

TEST(EgressVectors, ids_are_unique) {
  std::map<std::string, int> seen;
  for (const Row& row : read_rows()) EXPECT_EQ(++seen[row.id], 1) << row.id;
}

}  // namespace
}  // namespace semel::egress
