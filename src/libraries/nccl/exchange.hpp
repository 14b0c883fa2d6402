// Bytes between ranks, in both directions at once, until all have arrived. Each part has a header that names the
// operation: ranks whose calls do not fit together notice.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <vector>

#include "libraries/nccl/communicator.hpp"

namespace nvmlkit::nccl {

struct Header {
  std::uint64_t magic = 0x6e63'636c'7061'7274;
  Kind kind{};
  ncclDataType_t type{};
  ncclRedOp_t by{};
  std::int32_t root = 0;
  std::uint64_t count = 0;      // of the operation
  std::uint64_t operation = 0;  // of the communicator, counted from its begin; 0 for sends
  std::uint64_t size = 0;       // of the part, which follows
  std::uint32_t step = 0;
  std::uint32_t unused[3]{};
};
static_assert(sizeof(Header) == kRingGrain);

// An operation ended early. ncclSuccess: it was aborted.
struct Ended {
  ncclResult_t result;
};

class Exchange {
 public:
  // `look` is called every few milliseconds, and may throw.
  Exchange(Communicator& communicator, std::function<void()> look);

  void send(int peer, const Header& header, const std::byte* bytes);
  void receive(int peer, const Header& expected, std::byte* bytes);
  // The parts of all other ranks with one's own, combined; all have the size of the header. One at a time.
  void combine(const Header& expected, const std::byte* own, std::byte* to);

  // Until all is done. Throws Ended.
  void run();

 private:
  struct Part {
    Header header;
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::uint64_t done = 0;  // behind the header
    bool has_begun = false;  // the header is through
  };
  struct Reduction {
    bool is_on = false;
    Header header;
    const std::byte* own = nullptr;
    std::byte* to = nullptr;
    std::uint64_t done = 0;
  };

  bool progress();
  bool progress_send(int peer);
  bool progress_receive(int peer);
  bool begin_receive(int peer, Part& part);
  bool end_part(int peer, std::deque<Part>& parts);
  bool progress_reduction();
  bool is_done() const;
  void check();
  void check_peers();
  [[noreturn]] void refuse(int peer, const Header& expected, const Header& found) const;

  Communicator& communicator_;
  Peers& peers_;
  std::function<void()> look_;
  std::vector<std::deque<Part>> sends_, receives_;
  Reduction reduction_;
  std::chrono::steady_clock::time_point looked_{}, checked_{};
};

}  // namespace nvmlkit::nccl
