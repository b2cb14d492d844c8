// version.cc: GET /v1/version.
#include "api/answer.h"
#include "api/resources.h"
#include "semel_version.h"

namespace semel::api {

Co<Answer> show_version(Services&, ApiCall) {
  JsonWriter json;
  json.object().member("name", "semel").member("version", SEMEL_VERSION);
  co_return json_response(200, json.end().take());
}

}  // namespace semel::api
