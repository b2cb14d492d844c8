// item_of.h: an Item from the JSON text of an event, for tests.
#pragma once

#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "core/intake/decide.h"

namespace semel::intake {

struct ItemOptions {
  std::optional<std::string> idempotency_key;
  std::string fresh_id = "evt_fresh";
  WallTime accepted_at{1'796'024'751'123};
};

inline Item item_of(std::string_view json, const ItemOptions& options = {}) {
  const auto document = parse_json(json, {.depth_max = event::kSubmissionDepthMax});
  SEMEL_CHECK(document.has_value());
  auto submission = event::read_submission(document->root());
  SEMEL_CHECK(submission.has_value());
  Item item{.submission = *std::move(submission),
            .fresh_id = {options.fresh_id},
            .fingerprint = idempotency::fingerprint_event({}, document->root()),
            .key = std::nullopt,
            .accepted_at = options.accepted_at};
  if (options.idempotency_key) item.key = idempotency::hash_key({*options.idempotency_key});
  return item;
}

}  // namespace semel::intake
