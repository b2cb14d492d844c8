// listen.h: semel listen, the receiver double: the real inbox on a file of its own, with faults on request.
#pragma once

namespace CLI {
class App;
}

namespace semel::cli {

void add_listen(CLI::App& root, int& exit_code);

}  // namespace semel::cli
