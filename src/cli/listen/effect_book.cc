// effect_book.cc: effects as rows, and rows as lines.
#include "cli/listen/effect_book.h"

#include <openssl/sha.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/json.h"
#include "sql/listen/queries.h"

namespace semel::cli {
namespace {

constexpr std::size_t kLinesAtOnce = 1'000;

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(as_bytes(bytes).data(), bytes.size(), digest);
  return to_hex({reinterpret_cast<const char*>(digest), sizeof digest});
}

// The bytes of `data`, or of a body that has no such member.
std::string_view data_of(std::string_view body) {
  const Result<JsonDocument> document = parse_json(body, {.depth_max = 128});
  if (!document || document->root().kind() != JsonKind::object) return body;
  const std::optional<JsonValue> data = document->root().find("data");
  return data ? data->raw() : body;
}

std::optional<std::string_view> view_of(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

std::string line_of(const client::Rows& effect) {
  JsonWriter line;
  line.object().member("effect_no", effect.integer(0)).member("source", effect.text(1));
  line.member("event_id", effect.text(2));
  if (!effect.is_null(3)) line.member("endpoint", effect.text(3));
  if (!effect.is_null(4)) line.member("ordering_key", effect.text(4));
  if (!effect.is_null(5)) line.member("sequence", effect.integer(5));
  if (!effect.is_null(6)) line.member("entity_version", effect.integer(6));
  line.member("data_sha256", effect.text(7));
  return line.end().take() + "\n";
}

}  // namespace

Result<EffectBook> EffectBook::open(sqlite3* db, EffectRules rules) {
  SEMEL_TRY_VOID(client::run_script(db, sql::listen::schema));
  SEMEL_TRY(insert, client::Statement::prepare(db, sql::listen::insert_effect));
  SEMEL_TRY(list, client::Statement::prepare(db, sql::listen::list_effects_after));
  SEMEL_TRY(last, client::Statement::prepare(db, sql::listen::read_last_effect_no));
  return EffectBook(std::move(rules), std::move(insert), std::move(list), std::move(last));
}

client::EffectAnswer EffectBook::write(const inbox::Arrival& arrival, std::string_view body) {
  if (std::ranges::count(rules_.refused_types, arrival.type) > 0) return client::EffectRefused{"type_refused"};
  const std::string_view data = data_of(body);
  const std::string digest = sha256_hex(data);
  const std::optional<client::Blob> kept = rules_.keep_data ? std::optional(client::Blob{data}) : std::nullopt;
  const Result<void> written =
      insert_.run(std::string_view(arrival.source), std::string_view(arrival.id), std::string_view(arrival.type),
                  view_of(arrival.endpoint), view_of(arrival.ordering_key), arrival.sequence, arrival.entity_version,
                  std::string_view(digest), kept);
  if (!written) return client::EffectPostponed{};
  return client::EffectMade{};
}

Result<std::int64_t> EffectBook::last_effect_no() {
  client::Rows rows = last_.rows();
  SEMEL_TRY(found, rows.next());
  return found ? rows.integer(0) : 0;
}

Result<void> EffectBook::copy_to(Ledger& ledger) {
  SEMEL_TRY(last, last_effect_no());
  if (ledger.last_effect_no() > last) return fail(Fault::conflict, "the ledger holds effects of another database");
  while (ledger.last_effect_no() < last) {
    std::string lines;
    std::int64_t copied = ledger.last_effect_no();
    client::Rows rows = list_.rows(copied, kLinesAtOnce);
    for (;;) {
      SEMEL_TRY(more, rows.next());
      if (!more) break;
      copied = rows.integer(0);
      lines += line_of(rows);
    }
    if (lines.empty()) return fail(Fault::corrupt, "effects are missing");
    SEMEL_TRY_VOID(ledger.append(lines, copied));
  }
  return {};
}

}  // namespace semel::cli
