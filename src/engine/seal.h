// seal.h: the request of one attempt: body spliced, headers written, signature made over the exact bytes sent
// (step 9 of docs/life-of-an-event.md).
#pragma once

#include "base/time.h"
#include "engine/endpoint_book.h"
#include "port/exchange.h"
#include "port/store.h"

namespace semel::engine {

// `attempt` is the number that runs on over rounds. The signature carries the time `now`, so a retry is signed anew.
SealedRequest seal(LiveEndpoint& endpoint, const store::EventBody& event, const store::Delivery& delivery,
                   std::uint32_t attempt, WallTime now);

}  // namespace semel::engine
