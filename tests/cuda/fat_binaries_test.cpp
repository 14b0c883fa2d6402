// Which part of a fat binary runs.
#include <cstring>

#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

constexpr std::uint16_t kPtx = 1, kMachineCode = 2;

struct Part {
  std::uint16_t kind;
  std::uint32_t capability;
  std::string bytes;
};

template <class T>
void put(std::string& out, std::size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof value);
}

// As nvcc lays it out.
std::string fat_binary(const std::vector<Part>& parts) {
  std::string out(16, '\0');
  for (const auto& part : parts) {
    std::string head(64, '\0'), bytes = part.bytes;
    bytes.resize((bytes.size() + 8) / 8 * 8);
    put(head, 0, part.kind);
    put(head, 4, std::uint32_t{64});
    put(head, 8, std::uint64_t{bytes.size()});
    put(head, 28, part.capability);
    out += head + bytes;
  }
  put(out, 0, std::uint32_t{0xBA55ED50});
  put(out, 4, std::uint16_t{1});
  put(out, 6, std::uint16_t{16});
  put(out, 8, std::uint64_t{out.size() - 16});
  return out;
}

// Writes a number.
std::string ptx(int capability, int number) {
  return ".version 8.7\n.target sm_" + std::to_string(capability) +
         "\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b64 %d; ld.param.u64 %d, [p]; st.global.u32 "
         "[%d], " +
         std::to_string(number) + "; ret; }\n";
}

class CudaFatBinaries : public WithContext {
 protected:
  // What the kernel wrote; 0 where the module was refused. On an H100.
  unsigned number_of(const std::vector<Part>& parts) {
    const auto image = fat_binary(parts);
    CUmodule module = nullptr;
    testing::internal::CaptureStderr();
    const auto result = driver().cuModuleLoadData(&module, image.data());
    line_ = testing::internal::GetCapturedStderr();
    if (result != CUDA_SUCCESS) {
      EXPECT_EQ(result, CUDA_ERROR_NO_BINARY_FOR_GPU);
      return 0;
    }
    CUfunction kernel = nullptr;
    EXPECT_EQ(driver().cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
    const auto data = allocate(4);
    EXPECT_EQ(launch_kernel(kernel, 1, 1, nullptr, data), CUDA_SUCCESS);
    unsigned out = 0;
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(&out, data, sizeof out), CUDA_SUCCESS);
    return out;
  }

  std::string line_;
};

TEST_F(CudaFatBinaries, ThePtxForTheNewestGpuThatIsNotNewer) {
  EXPECT_EQ(number_of({{kPtx, 70, ptx(70, 7)}, {kPtx, 80, ptx(80, 8)}, {kPtx, 120, ptx(120, 12)}}), 8u);
  EXPECT_EQ(line_, "");
  EXPECT_EQ(number_of({{kPtx, 100, ptx(100, 10)}}), 0u);
}

TEST_F(CudaFatBinaries, PtxInPlaceOfMachineCode) {
  if (!has_own_process()) return;
  const std::vector<Part> newer = {{kPtx, 120, ptx(120, 12)}, {kPtx, 100, ptx(100, 10)}};
  auto parts = newer;
  parts.push_back({kMachineCode, 80, "code"});
  EXPECT_EQ(number_of(parts), 0u) << "no machine code that an H100 runs";
  parts.push_back({kMachineCode, 90, "code"});
  EXPECT_EQ(number_of(parts), 10u);
  EXPECT_EQ(
      line_,
      "nvmlkit: a fat binary has machine code alone for compute capability 9.0; its PTX for 10.0 runs in its place, "
      "here and in other fat binaries (NVMLKIT_CUDA_STAND_IN=0 refuses that)\n");
  EXPECT_EQ(number_of(parts), 10u);
  EXPECT_EQ(line_, "") << "it is said once";
  parts.push_back({kPtx, 80, ptx(80, 8)});
  EXPECT_EQ(number_of(parts), 8u) << "PTX that suits comes first";
  EXPECT_EQ(number_of({{kMachineCode, 90, "code"}}), 0u);
}

TEST_F(CudaFatBinaries, NoPtxInPlaceOfMachineCode) {
  if (!has_own_process()) return;
  setenv("NVMLKIT_CUDA_STAND_IN", "0", 1);
  EXPECT_EQ(number_of({{kPtx, 120, ptx(120, 12)}, {kMachineCode, 90, "code"}}), 0u);
  EXPECT_NE(line_.find("it has: PTX for 12.0, SASS for 9.0"), line_.npos);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
