// Static partitions: each is a number of chunks of a GPU's multiprocessors that no other partition has.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mps/wire/wire.hpp"

namespace nvmlkit::mps {

// A GPU that the daemon may divide, as a program of the CUDA driver reports it.
struct GpuFacts {
  std::string uuid;
  int multiprocessors = 0, major = 0, minor = 0;
  bool integrated = false;

  // The multiprocessors of a chunk; 0: GPUs before Ampere cannot be divided.
  int chunk() const;
};

struct GpuList {
  int cuda = 0;  // the newest CUDA of the driver, 13010 for 13.1
  std::vector<GpuFacts> gpus;
};

// "cuda 13010", then a line for each GPU: UUID, multiprocessors, compute capability, 1 if it is integrated.
std::optional<GpuList> gpus_of(const std::string& text);

// The first driver with static partitions.
inline constexpr int kFirstCuda = 13010;

class Partitions {
 public:
  // What a command prints.
  std::string add(const GpuList& known, std::string_view uuid, std::string_view chunks);
  // In use: the partitions of clients.
  std::string remove(const GpuList& known, std::string_view uuid, std::string_view id,
                     const std::vector<std::string>& in_use);
  std::string table(const GpuList& known, const std::vector<std::string>& in_use) const;

  // The partitions that a client named, UUID/ID and separated by commas, for each of its GPUs: nothing if one does not
  // exist, or a GPU has none.
  std::optional<Shares> shares(const GpuList& known, std::string_view named, std::string_view devices) const;

 private:
  struct Part {
    std::string id;
    std::vector<int> chunks;
  };
  const Part* find(const std::string& uuid, std::string_view id) const;

  std::map<std::string, std::vector<Part>> parts_;  // by UUID
};

}  // namespace nvmlkit::mps
