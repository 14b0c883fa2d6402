// Work that the kernels of a grid request: launches of other kernels, copies, fills. It runs in the order of the
// requests, at the end of the grid or where the grid waits for it. Tail launches run last.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/launch.hpp"

namespace nvmlkit::ptx {

struct KernelLaunch {
  const Function* kernel = nullptr;
  std::uint32_t blocks[3] = {1, 1, 1};
  std::uint32_t threads[3] = {1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::vector<std::byte> params;
  std::shared_ptr<const races::Birth> birth{};  // as in Grid
};

// Rows of bytes that are copied, or filled with one value.
struct RowsOfBytes {
  std::uint64_t to = 0, to_pitch = 0;
  std::uint64_t from = 0, from_pitch = 0;
  std::uint64_t width = 0, rows = 0;
  bool fills = false;
  std::uint8_t value = 0;
};

class Children {
 public:
  explicit Children(const Grid& of) : grid_(of) {}
  ~Children();

  static constexpr unsigned kDeepest = 24;                             // launches within launches
  static constexpr std::uint64_t kTailLaunch = 3, kFireAndForget = 4;  // streams

  // Device memory to write arguments to; 0 when there is none.
  std::uint64_t buffer(std::uint64_t size);
  // The same for a launch that begins when its buffer comes back.
  std::uint64_t prepare(KernelLaunch launch);
  bool start_prepared(std::uint64_t buffer, std::uint64_t stream, std::shared_ptr<const races::Birth> birth);
  void add(KernelLaunch launch, std::uint64_t buffer, std::uint64_t stream);
  void add(const RowsOfBytes& rows);

  // Does what was asked for so far, tail launches excepted. A fault ends it.
  Fault run_pending();
  std::uint64_t instructions() const { return instructions_; }
  std::vector<KernelLaunch> take_tails();

  // A number for a stream or an event, which need no more: all is done in order.
  std::uint64_t new_handle();
  // The address of a text in device memory.
  std::uint64_t text(const std::string& text);
  // The error of a thread, forgotten or kept.
  int error(std::uint64_t thread, bool forgets);
  void keep_error(std::uint64_t thread, int error);

  const Grid& grid() const { return grid_; }

 private:
  struct Task {
    bool is_launch = false;
    KernelLaunch launch;
    RowsOfBytes rows;
  };
  std::vector<std::byte> bytes_of(std::uint64_t address, std::size_t size);
  Fault perform(const RowsOfBytes& rows);

  const Grid& grid_;
  std::mutex running_;  // one thread does the work; another one that waits for it finds it done
  std::uint64_t instructions_ = 0;
  std::mutex mutex_;         // of what follows
  std::vector<Task> tasks_;  // from `done_` on they are to be done
  std::size_t done_ = 0;
  std::vector<KernelLaunch> tails_;
  std::unordered_map<std::uint64_t, KernelLaunch> prepared_;
  std::vector<std::uint64_t> memory_;
  std::uint64_t free_ = 0, free_bytes_ = 0;
  std::uint64_t handles_ = 16;
  std::map<std::string, std::uint64_t> texts_;
  std::unordered_map<std::uint64_t, int> errors_;
};

// The grid of a launch by a kernel of `parent`.
Grid grid_of(const Grid& parent, const KernelLaunch& launch);

}  // namespace nvmlkit::ptx
