// api_client.h: the server's API as the sub-commands use it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "http/simple_client.h"
#include "port/clock.h"
#include "port/co.h"

namespace semel::cli {

struct ApiRequest {
  std::string method = "GET";
  std::string target;  // path and query
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

// Where the server is and with which key: SEMEL_URL and SEMEL_KEY, and the tenant for keys of every tenant.
struct ServerAddress {
  std::string url;
  std::string key;
  std::string tenant;  // empty: not named
};
ServerAddress server_from_environment();

class ApiClient {
 public:
  explicit ApiClient(ServerAddress server);
  ~ApiClient();

  // One request, one answer; waits for it. Fault::unavailable: surely not processed.
  Result<http::SimpleAnswer> call(ApiRequest request);
  // Waits. Nothing else runs meanwhile.
  void pause(milliseconds duration);

  Clock& clock();
  Random& random();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "a=1&b=two": each value percent-encoded; empty values are left out.
std::string query_string(const std::vector<std::pair<std::string_view, std::string>>& parameters);

}  // namespace semel::cli
