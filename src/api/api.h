// api.h: the HTTP face of the server: one request in, one answer out.
//
// The door is the same for every route and in this order: path and method, API key, right, tenant, Idempotency-Key,
// query. No handler runs before all of them passed. Routes: api/routes.cc; failures: api/problem.cc.
// Threads: the loop's thread.
#pragma once

#include "api/api_call.h"

namespace semel::api {

class Api {
 public:
  explicit Api(Services services) : services_(services) {}
  Co<HttpResponse> handle(HttpRequest request);

 private:
  Services services_;
};

}  // namespace semel::api
