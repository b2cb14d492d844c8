// commands.h: the sub-commands of semel. Each adds itself to the root and, when it runs, sets the exit code.
#pragma once

namespace CLI {
class App;
}

namespace semel::cli {

void add_serve(CLI::App& root, int& exit_code);
void add_send(CLI::App& root, int& exit_code);
void add_events(CLI::App& root, int& exit_code);
void add_endpoints(CLI::App& root, int& exit_code);
void add_subscriptions(CLI::App& root, int& exit_code);
void add_deliveries(CLI::App& root, int& exit_code);
void add_replay(CLI::App& root, int& exit_code);
void add_keys(CLI::App& root, int& exit_code);
void add_doctor(CLI::App& root, int& exit_code);
void add_version(CLI::App& root, int& exit_code);
void add_completion(CLI::App& root, int& exit_code);

}  // namespace semel::cli
