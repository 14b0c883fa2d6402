// A rank in a process of its own, which a test drives line by line: it answers each line with one.
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "nvmlkit/generated/abi.hpp"
#include "ranks.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace nccl;
using namespace std::chrono_literals;

constexpr const char* kDigits = "0123456789abcdef";

std::string hex(const UniqueId& id) {
  std::string out;
  for (const char c : id.internal) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

UniqueId id_of(const std::string& text) {
  UniqueId out;
  for (std::size_t i = 0; i < sizeof out.internal; ++i)
    out.internal[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return out;
}

class Rank {
 public:
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "id") return id();
    if (word == "init") return init(words);
    if (word == "sum") return sum(words);
    if (word == "wait") return wait();
    if (word == "async") return async();
    if (word == "state") return number(static_cast<int>(state()));
    if (word == "abort") return number(static_cast<int>(nccl_library().ncclCommAbort(comm_)));
    if (word == "destroy") return number(static_cast<int>(nccl_library().ncclCommDestroy(comm_)));
    if (word == "broadcast") return broadcast(words);
    if (word == "links") return links(words);
    return "?";
  }

 private:
  static std::string number(int value) { return std::to_string(value); }

  static std::string id() {
    UniqueId made;
    const auto result = nccl_library().ncclGetUniqueId(&made);
    return result == ncclSuccess ? hex(made) : number(static_cast<int>(result));
  }

  // GPU, number of ranks, rank, id, 1 if it blocks.
  std::string init(std::istringstream& words) {
    int gpu = 0, blocking = 1;
    std::string text;
    words >> gpu >> ranks_ >> rank_ >> text >> blocking;
    gpu_ = gpu;
    devices().use(gpu);
    EXPECT_EQ(devices().create_stream(&stream_, 0), cuda::CUDA_SUCCESS);
    Config config{sizeof(Config), kConfigMagic, kVersion, blocking, kUnset, kUnset, kUnset, nullptr, kUnset,
                  kUnset,         nullptr,      kUnset,   kUnset,   kUnset, kUnset, kUnset, kUnset};
    return number(static_cast<int>(nccl_library().ncclCommInitRankConfig(&comm_, ranks_, id_of(text), rank_, &config)));
  }

  // An all-reduce of so many elements is under way; rank + 1 each.
  std::string sum(std::istringstream& words) {
    std::size_t count = 0;
    words >> count;
    std::vector<std::byte> bytes(4 * count);
    const float mine = static_cast<float>(rank_ + 1);
    for (std::size_t k = 0; k < count; ++k) std::memcpy(bytes.data() + 4 * k, &mine, 4);
    buffer_ = std::make_unique<Buffer>(gpu_, bytes);
    return number(static_cast<int>(
        nccl_library().ncclAllReduce(buffer_->at(), buffer_->at(), count, ncclFloat32, ncclSum, comm_, stream_)));
  }

  std::string broadcast(std::istringstream& words) {
    std::size_t count = 0;
    words >> count;
    buffer_ = std::make_unique<Buffer>(gpu_, std::vector<std::byte>(count));
    return number(static_cast<int>(nccl_library().ncclBcast(buffer_->at(), count, ncclInt8, 0, comm_, stream_)));
  }

  // The result of the stream, and how many elements are no sum of all ranks.
  std::string wait() {
    devices().use(gpu_);
    const auto result = devices().wait_for(stream_);
    if (result != cuda::CUDA_SUCCESS) return number(static_cast<int>(result)) + " -1";
    const auto bytes = buffer_->read();
    int wrong = 0;
    for (std::size_t k = 0; k + 4 <= bytes.size(); k += 4) {
      float v = 0;
      std::memcpy(&v, bytes.data() + k, 4);
      wrong += v == static_cast<float>(ranks_ * (ranks_ + 1) / 2) ? 0 : 1;
    }
    return "0 " + number(wrong);
  }

  // The first answer within 20 s that is not the one that a communicator in order has.
  std::string async() {
    auto result = state();
    for (int i = 0; i < 2000 && result == ncclSuccess; ++i) {
      std::this_thread::sleep_for(10ms);
      result = state();
    }
    return number(static_cast<int>(result));
  }

  ncclResult_t state() const {
    auto result = ncclSuccess;
    EXPECT_EQ(nccl_library().ncclCommGetAsyncError(comm_, &result), ncclSuccess);
    return result;
  }

  // What all NVLinks of a GPU have sent and received, in KiB.
  static std::string links(std::istringstream& words) {
    unsigned gpu = 0;
    words >> gpu;
    static const Loaded nvml("libnvidia-ml.so.1");
    nvml.find<int (*)()>("nvmlInit_v2")();
    void* device = nullptr;
    nvml.find<int (*)(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(gpu, &device);
    abi::nvmlFieldValue_t values[2]{};
    values[0].fieldId = abi::FI_DEV_NVLINK_THROUGHPUT_DATA_TX;
    values[1].fieldId = abi::FI_DEV_NVLINK_THROUGHPUT_DATA_RX;
    for (auto& value : values) value.scopeId = ~0u;
    nvml.find<int (*)(void*, int, abi::nvmlFieldValue_t*)>("nvmlDeviceGetFieldValues")(device, 2, values);
    return std::to_string(values[0].value.ullVal) + " " + std::to_string(values[1].value.ullVal);
  }

  int gpu_ = 0, ranks_ = 1, rank_ = 0;
  Communicator* comm_ = nullptr;
  cuda::CUstream stream_ = nullptr;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace
}  // namespace nvmlkit::library_test

int main() {
  nvmlkit::library_test::Rank rank;
  for (std::string line; std::getline(std::cin, line);) std::cout << rank.answer(line) << std::endl;
}
