// What a node waits for: signals, another file at the place of its machine's, the descriptors of others, a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "node/descriptor.hpp"

namespace nvmlkit::node {

class Waiter {
 public:
  // Takes SIGTERM, SIGINT and SIGHUP from the process: to be made before any other thread. Throws std::system_error.
  Waiter();

  // Takes what watch() needs. Throws std::system_error.
  void prepare();
  // Also waits for a file that is made, moved or removed at this path, whose folder exists.
  void watch(const std::filesystem::path& file);

  struct Result {
    bool stop = false;      // SIGTERM, SIGINT
    bool distrust = false;  // SIGHUP
    bool file = false;      // watch()
  };
  // Sleeps until something happens to one of the descriptors or of the above, or the time is over; nothing: for ever.
  Result wait(const std::vector<int>& descriptors, std::optional<std::chrono::milliseconds> time);

 private:
  Descriptor signals_, files_;  // the latter since prepare()
  int watched_ = -1;
  std::string name_;
};

}  // namespace nvmlkit::node
