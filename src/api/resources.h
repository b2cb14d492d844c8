// resources.h: the handlers, one file per resource.
#pragma once

#include "api/api_call.h"

namespace semel::api {

// events.cc, event_batch.cc, event_views.cc
Co<Answer> submit_event(Services& services, ApiCall call);
Co<Answer> submit_batch(Services& services, ApiCall call);
Co<Answer> list_events(Services& services, ApiCall call);
Co<Answer> show_event(Services& services, ApiCall call);
Co<Answer> list_event_attempts(Services& services, ApiCall call);

// endpoints.cc
Co<Answer> create_endpoint(Services& services, ApiCall call);
Co<Answer> list_endpoints(Services& services, ApiCall call);
Co<Answer> show_endpoint(Services& services, ApiCall call);
Co<Answer> delete_endpoint(Services& services, ApiCall call);

// subscriptions.cc
Co<Answer> create_subscription(Services& services, ApiCall call);
Co<Answer> list_subscriptions(Services& services, ApiCall call);
Co<Answer> show_subscription(Services& services, ApiCall call);
Co<Answer> delete_subscription(Services& services, ApiCall call);

// deliveries.cc
Co<Answer> list_deliveries(Services& services, ApiCall call);
Co<Answer> list_dead_letters(Services& services, ApiCall call);
Co<Answer> show_delivery(Services& services, ApiCall call);
Co<Answer> replay_delivery(Services& services, ApiCall call);

// keys.cc
Co<Answer> create_key(Services& services, ApiCall call);
Co<Answer> list_keys(Services& services, ApiCall call);
Co<Answer> delete_key(Services& services, ApiCall call);

// version.cc
Co<Answer> show_version(Services& services, ApiCall call);

}  // namespace semel::api
