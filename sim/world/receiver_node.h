// receiver_node.h: a receiver with a real inbox: the code of `semel listen` on a host of the world, its file on the
// simulated disk. It crashes and starts again; it fails and is slow by draw.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "port/serve.h"
#include "sim/disk/sim_disk.h"
#include "sim/world/ground.h"
#include "sim/world/witness.h"

namespace semel::sim {

// Names of the sources of every receiver's inbox.
inline constexpr std::string_view kShopSource = "shop";      // all endpoints of the server
inline constexpr std::string_view kDirectSource = "direct";  // who signs by himself

inline constexpr std::string_view kRefusedType = "hand.refused";  // which no receiver's application takes

class ReceiverNode {
 public:
  ReceiverNode(Ground& ground, Witness& witness, std::uint32_t number);
  ~ReceiverNode();
  ReceiverNode(const ReceiverNode&) = delete;
  ReceiverNode& operator=(const ReceiverNode&) = delete;

  void start();
  void crash(SimDisk::Loss loss);
  void want_crash(SimDisk::Loss loss) { wanted_ = loss; }
  std::optional<SimDisk::Loss> take_wanted() { return std::exchange(wanted_, std::nullopt); }

  bool running() const { return running_ != nullptr; }
  const std::string& name() const { return name_; }
  std::string host() const { return receiver_host(number_); }
  std::uint32_t number() const { return number_; }
  const std::string& secret() const { return secret_; }  // whsec_.. or whsk_..: of every endpoint here
  const std::string& direct_secret() const { return direct_secret_; }
  Process* process();
  std::string files() const { return ground_.path_of(name_); }

  // Tells the checkers of the effects that were committed since the last time. False: the file cannot be read now.
  bool tell_effects();
  std::optional<ReceiverState> state();

 private:
  struct Running;

  Co<HttpResponse> answer(Running& running, HttpRequest request);
  bool holds_up(const HttpRequest& request) const;
  HttpResponse failure(Draw& draw);

  Ground& ground_;
  Witness& witness_;
  std::uint32_t number_;
  std::string name_;
  std::string secret_;
  std::string direct_secret_;
  std::unique_ptr<Running> running_;
  std::optional<SimDisk::Loss> wanted_;
  std::int64_t effects_told_ = 0;
};

}  // namespace semel::sim
