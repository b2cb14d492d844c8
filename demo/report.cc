// report.cc: text for people and for programs.
#include "report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "base/json.h"

namespace semel::demo {
namespace {

double to_thousandths(double seconds) { return std::round(seconds * 1000) / 1000; }

// Columns of the terminal that standard output is; 0 when it is none.
std::size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0) return 0;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

const char* mark(bool good) { return good ? "ok" : "NOT OK"; }

}  // namespace

void ProgressLine::show(std::int64_t accepted, const Stage::Look& look, int kills, int kills_planned) {
  const std::size_t width = terminal_width();
  if (width == 0) return;
  const std::int64_t retried = look.attempts > look.deliveries ? look.attempts - look.deliveries : 0;
  std::string line =
      fmt::format("accepted {}  delivered {}  retried {}  parked {}  duplicates absorbed {}  kills {}/{}", accepted,
                  look.deliveries - look.open, retried, look.parked, look.duplicates, kills, kills_planned);
  if (line.size() >= width) line.resize(width - 1);
  fmt::print("\r\033[K{}", line);
  std::fflush(stdout);
  shown_ = true;
}

void ProgressLine::end() {
  if (shown_) fmt::print("\n");
  shown_ = false;
}

void print_table(const Performance& performance) {
  const Verdict& v = performance.verdict;
  fmt::print("\nThree accounts of the same events, counted per (event, endpoint) pair:\n");
  fmt::print("  {:<44} {:>8}\n", "the producers were told: accepted", v.accepted);
  fmt::print("  {:<44} {:>8}   in {} attempts\n", "the server's store says: delivered", v.server.delivered,
             v.server.attempts);
  fmt::print("  {:<44} {:>8}\n\n", "the receiver's ledger holds: applied", v.applied);
  const std::pair<const char*, std::int64_t> rows[] = {{"lost", v.lost},
                                                       {"applied twice", v.duplicate_effects},
                                                       {"out of order", v.out_of_order},
                                                       {"altered on the way", v.altered},
                                                       {"effects nobody was told about", v.unexplained},
                                                       {"dead", v.server.dead},
                                                       {"still open", v.server.open},
                                                       {"still parked", v.server.parked}};
  for (const auto& [what, count] : rows) fmt::print("  {:<44} {:>8}   {}\n", what, count, mark(count == 0));
  fmt::print("\n  {} times a request was answered `duplicate` and absorbed; {} pairs were parked for a while;\n",
             v.server.duplicate_answers, v.server.ever_parked);
  fmt::print("  {} kills, at most {:.2f} s from being up again to the next delivery; {:.1f} s in all.\n",
             performance.kills, performance.recovery_s_max, performance.seconds);
  fmt::print("\n{}\n", v.good() ? "Delivered at least once, applied once, in order." : "The accounts do not agree.");
}

std::string json_line(const Performance& performance) {
  const Verdict& v = performance.verdict;
  JsonWriter json;
  json.object().member("accepted", v.accepted).member("applied", v.applied).member("lost", v.lost);
  json.member("duplicate_effects", v.duplicate_effects).member("out_of_order", v.out_of_order);
  json.member("dead", v.server.dead).member("parked", v.server.ever_parked).member("attempts", v.server.attempts);
  json.member("duplicate_deliveries", v.server.duplicate_answers).member("kills", performance.kills);
  json.member("recovery_s_max", to_thousandths(performance.recovery_s_max))
      .member("seconds", to_thousandths(performance.seconds));
  return json.end().take();
}

}  // namespace semel::demo
