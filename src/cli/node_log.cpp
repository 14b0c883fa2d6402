#include "cli/node_log.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

namespace nvmlkit::cli {
namespace fs = std::filesystem;

NodeLog::NodeLog(const sim::Machine& machine, const fs::path& folder, const std::string& target,
                 kernel_log::Output& output)
    : place_file_(folder / "kernel-log-place"),
      log_(fmt::format("{}.{} {}", machine.header().created, machine.header().creator, target)),
      output_(output),
      follower_(machine, last_place()) {}

// Anything else in the file, or a file of another log, means the oldest message.
kernel_log::Place NodeLog::last_place() const {
  std::ifstream stream(place_file_);
  kernel_log::Place place = kernel_log::kOldest;
  std::string log;
  if (stream >> place && stream.get() == ' ' && std::getline(stream, log) && log == log_) return place;
  return kernel_log::kOldest;
}

void NodeLog::keep_place() const {
  auto temporary = place_file_;
  temporary += ".new";
  std::ofstream(temporary) << follower_.place() << ' ' << log_ << '\n';
  std::error_code ignored;  // without a place, the next node writes the messages again
  fs::rename(temporary, place_file_, ignored);
}

sim::Expected<void> NodeLog::write() {
  const auto before = follower_.place();
  for (auto& record : follower_.take()) waiting_.push_back(std::move(record));
  const bool moved = !waiting_.empty() || follower_.place() != before;
  for (; !waiting_.empty(); waiting_.pop_front())
    if (auto written = output_.write(waiting_.front()); !written) return written;
  if (moved) keep_place();
  return {};
}

}  // namespace nvmlkit::cli
