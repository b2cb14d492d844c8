// tcp_listener.h: takes connections in. Private to edge/net.
#pragma once

#include <functional>
#include <memory>

#include "edge/os/loop.h"
#include "port/net.h"

namespace semel {

Result<std::unique_ptr<Listener>> listen_tcp(Loop& loop, const SocketAddress& at,
                                             std::move_only_function<void(std::unique_ptr<Stream>)> accepted);

}  // namespace semel
