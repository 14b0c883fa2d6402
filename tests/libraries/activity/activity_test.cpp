// GPM sees what products of matrices compute with.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>

#include "../../taken.hpp"
#include "generated/cublas_table.hpp"
#include "gpu.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/config/load.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace cublas;

// The state of a machine that the libraries of this process share.
class StateFile {
 public:
  StateFile() {
    std::string error;
    const auto machine = sim::taken(sim::load_machine({{"NVMLKIT_MACHINE", "h100"}}), error);
    EXPECT_TRUE(machine && sim::taken(sim::state::save(*machine, path_.string(), "h100"), error)) << error;
    setenv("NVMLKIT_STATE", path_.c_str(), 1);
  }
  ~StateFile() { std::filesystem::remove(path_); }
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("nvmlkit-activity-" + std::to_string(getpid()));
};

class Nvml : public Loaded {
 public:
  Nvml() : Loaded("libnvidia-ml.so.1") {
    ask("nvmlInit_v2");
    ask("nvmlDeviceGetHandleByIndex_v2", 0u, &device_);
  }
  template <class... Args>
  void ask(const char* name, Args... args) const {
    EXPECT_EQ((find<abi::nvmlReturn_t (*)(Args...)>(name)(args...)), abi::NVML_SUCCESS) << name;
  }
  abi::nvmlGpmSample_t sample() const {
    abi::nvmlGpmSample_t out{};
    ask("nvmlGpmSampleAlloc", &out);
    ask("nvmlGpmSampleGet", device_, out);
    return out;
  }
  // Per cent of the time between the samples, by metric.
  std::map<unsigned, double> between(abi::nvmlGpmSample_t first, abi::nvmlGpmSample_t last) const {
    const auto request = std::make_unique<abi::nvmlGpmMetricsGet_t>();
    request->version = 1;
    for (const unsigned metric : {2u, 5u, 6u, 7u, 9u, 11u, 12u})
      request->metrics[request->numMetrics++].metricId = metric;
    request->sample1 = first;
    request->sample2 = last;
    ask("nvmlGpmMetricsGet", request.get());
    std::map<unsigned, double> out;
    for (unsigned k = 0; k < request->numMetrics; ++k) out[request->metrics[k].metricId] = request->metrics[k].value;
    for (const auto sample : {first, last}) ask("nvmlGpmSampleFree", sample);
    return out;
  }

 private:
  abi::nvmlDevice_t device_{};
};

struct Case {
  const char* name;
  cudaDataType in, out;
  cublasComputeType_t compute;
  unsigned active;  // metric of what computes
};

class LibraryActivity : public testing::Test {
 protected:
  static constexpr int kSize = 192;

  void SetUp() override { ASSERT_EQ(lib.cublasCreate_v2(&handle), CUBLAS_STATUS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(lib.cublasDestroy_v2(handle), CUBLAS_STATUS_SUCCESS); }

  // Products for so long.
  void work(const Case& c, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    const std::int64_t one[2] = {}, zero[2] = {};
    while (Clock::now() < end) {
      ASSERT_EQ(
          lib.cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, one, a.as<void>(), c.in, kSize,
                           a.as<void>(), c.in, kSize, zero, b.as<void>(), c.out, kSize, c.compute, CUBLAS_GEMM_DEFAULT),
          CUBLAS_STATUS_SUCCESS);
      ASSERT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
    }
  }

  StateFile state;
  Cublas lib{"libcublas.so.12"};
  Handle* handle = nullptr;
  OnDevice<double> a{std::vector<double>(kSize * kSize, 1e-3)}, b{std::vector<double>(kSize * kSize)};
};

// The machine learns of it a quarter of a second later.
TEST_F(LibraryActivity, TensorCoresAreBusyForProductsOfTheirTypes) {
  const Nvml nvml;
  constexpr unsigned kSm = 2, kAnyTensor = 5, kDfma = 6, kHmma = 7, kImma = 9, kFp32 = 12;
  const Case cases[] = {{"half", cudaDataType(2), cudaDataType(2), CUBLAS_COMPUTE_32F, kHmma},
                        {"float", cudaDataType(0), cudaDataType(0), CUBLAS_COMPUTE_32F, kFp32},
                        {"TF32", cudaDataType(0), cudaDataType(0), CUBLAS_COMPUTE_32F_FAST_TF32, kHmma},
                        {"double", cudaDataType(1), cudaDataType(1), CUBLAS_COMPUTE_64F, kDfma},
                        {"int8", cudaDataType(3), cudaDataType(10), CUBLAS_COMPUTE_32I, kImma}};
  for (const auto& c : cases) {
    work(c, 0.6);
    const auto first = nvml.sample();
    work(c, 0.2);
    const auto seen = nvml.between(first, nvml.sample());
    EXPECT_GT(seen.at(kSm), 60) << c.name;  // the host may be busy between two products
    for (const unsigned pipe : {kHmma, kImma, kDfma})
      if (pipe == c.active)
        EXPECT_GT(seen.at(pipe), 30) << c.name;
      else
        EXPECT_LT(seen.at(pipe), 2) << c.name << ", metric " << pipe;
    EXPECT_EQ(seen.at(kAnyTensor) > 30, c.active != kFp32) << c.name;
    EXPECT_EQ(seen.at(kFp32) > 40, c.active == kFp32) << c.name;
  }
}

}  // namespace
}  // namespace nvmlkit::library_test
