// answer.h: the successful answers.
#pragma once

#include <string>
#include <utility>

#include "base/json.h"
#include "port/serve.h"

namespace semel::api {

inline HttpResponse json_response(int status, std::string body) {
  return {.status = status,
          .headers = {{"content-type", "application/json"}, {"cache-control", "no-store"}},
          .body = std::move(body)};
}

inline HttpResponse no_content() { return {.status = 204, .headers = {{"cache-control", "no-store"}}, .body = {}}; }

// {NAME:[..],"next_cursor":".."?}: `append` writes one row as an object, `cursor` names one row. A full page has a
// cursor behind its last row.
template <class Rows, class Append, class Cursor>
HttpResponse page_response(std::string_view name, const Rows& rows, std::size_t limit, Append append, Cursor cursor) {
  JsonWriter json;
  json.object().key(name).array();
  for (const auto& row : rows) append(json, row);
  json.end();
  if (rows.size() == limit) json.member("next_cursor", std::string_view(cursor(rows.back())));
  return json_response(200, json.end().take());
}

template <class Rows, class Append>
HttpResponse list_response(std::string_view name, const Rows& rows, Append append) {
  JsonWriter json;
  json.object().key(name).array();
  for (const auto& row : rows) append(json, row);
  return json_response(200, json.end().end().take());
}

}  // namespace semel::api
