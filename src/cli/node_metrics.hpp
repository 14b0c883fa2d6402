// The metrics of a node: its machine and its scenarios, served by HTTP.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "metrics/event_counter.hpp"
#include "metrics/server.hpp"
#include "scenario/shelf.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

class NodeMetrics {
 public:
  // Serves at once; until follow() it has no metrics. Throws CommandError.
  // `names` is nvmlkit, dcgm or both. DCGM's have the host as a label.
  NodeMetrics(const std::string& endpoint, const std::string& names, std::string host);

  // The machine to show from now on; null: none. It outlives the next call.
  void follow(const sim::Machine* machine);
  // To be called after each change of the machine, so that no Xid is missed.
  void update(std::vector<scenario::ShelfStatus> scenarios);

  std::string url() const { return server_->url(); }

 private:
  std::string text();

  bool own_names_, dcgm_names_;
  std::string host_;
  std::mutex mutex_;  // of what follows
  const sim::Machine* machine_ = nullptr;
  metrics::EventCounter events_;
  std::vector<scenario::ShelfStatus> scenarios_;
  std::unique_ptr<metrics::Server> server_;  // its thread ends first
};

}  // namespace nvmlkit::cli
