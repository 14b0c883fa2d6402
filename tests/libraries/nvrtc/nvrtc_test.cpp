// Kernels compiled while the program runs, and executed on the simulated GPU.
#include <cstdlib>
#include <string>

#include "generated/nvrtc_table.hpp"
#include "gpu.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace nvrtc;

constexpr const char* kSource = R"(
template <class T> __global__ void scale(T* data, T by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
})";

class Compiling : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    int major = 0, minor = 0;
    if (library_.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) GTEST_SKIP() << "there is no libnvrtc of NVIDIA";
    ASSERT_EQ(library_.nvrtcCreateProgram(&program_, kSource, "scale.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  }
  void TearDown() override {
    if (program_) {
      EXPECT_EQ(library_.nvrtcDestroyProgram(&program_), NVRTC_SUCCESS);
    }
  }

  nvrtcResult compile(std::vector<const char*> options) {
    return library_.nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }

  Nvrtc library_{GetParam()};
  Program program_ = nullptr;
};

TEST_P(Compiling, MachineCodeRuns) {
  ASSERT_EQ(library_.nvrtcAddNameExpression(program_, "scale<float>"), NVRTC_SUCCESS);
  ASSERT_EQ(compile({"--gpu-architecture=sm_80", "-default-device"}), NVRTC_SUCCESS);
  const char* name = nullptr;
  ASSERT_EQ(library_.nvrtcGetLoweredName(program_, "scale<float>", &name), NVRTC_SUCCESS);
  std::size_t size = 0;
  ASSERT_EQ(library_.nvrtcGetCUBINSize(program_, &size), NVRTC_SUCCESS);
  ASSERT_GT(size, 0u);
  std::vector<char> image(size);
  ASSERT_EQ(library_.nvrtcGetCUBIN(program_, image.data()), NVRTC_SUCCESS);

  const auto load = gpu().find<decltype(&cuda::cuModuleLoadData)>("cuModuleLoadData");
  const auto get = gpu().find<decltype(&cuda::cuModuleGetFunction)>("cuModuleGetFunction");
  const auto launch = gpu().find<decltype(&cuda::cuLaunchKernel)>("cuLaunchKernel");
  cuda::CUmodule module = nullptr;
  cuda::CUfunction function = nullptr;
  ASSERT_EQ(load(&module, image.data()), cuda::CUDA_SUCCESS);
  ASSERT_EQ(get(&function, module, name), cuda::CUDA_SUCCESS);
  const OnDevice<float> data({1, 2, 3, 4});
  float* address = data.as();
  float by = 10;
  int n = 3;
  void* arguments[] = {&address, &by, &n};
  ASSERT_EQ(launch(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), cuda::CUDA_SUCCESS);
  ASSERT_EQ(gpu().wait(), cuda::CUDA_SUCCESS);
  EXPECT_EQ(data.read(), (std::vector<float>{10, 20, 30, 4}));
}

TEST_P(Compiling, AVirtualArchitectureHasNoMachineCode) {
  std::size_t size = 7;
  ASSERT_EQ(compile({"--gpu-architecture", "compute_80"}), NVRTC_SUCCESS);
  EXPECT_EQ(library_.nvrtcGetCUBINSize(program_, &size), NVRTC_SUCCESS);
  EXPECT_EQ(size, 0u);
  ASSERT_EQ(library_.nvrtcGetPTXSize(program_, &size), NVRTC_SUCCESS);
  std::string ptx(size, ' ');
  ASSERT_EQ(library_.nvrtcGetPTX(program_, ptx.data()), NVRTC_SUCCESS);
  EXPECT_NE(ptx.find(".target sm_80"), std::string::npos);
  // Again for a real one, given in two words.
  ASSERT_EQ(compile({"-arch", "sm_90"}), NVRTC_SUCCESS);
  EXPECT_EQ(library_.nvrtcGetCUBINSize(program_, &size), NVRTC_SUCCESS);
  EXPECT_GT(size, 0u);
}

TEST_P(Compiling, ErrorsAreTheCompilers) {
  Program broken = nullptr;
  ASSERT_EQ(library_.nvrtcCreateProgram(&broken, "__global__ void f() { g(); }", "broken.cu", 0, nullptr, nullptr),
            NVRTC_SUCCESS);
  EXPECT_EQ(library_.nvrtcCompileProgram(broken, 0, nullptr), NVRTC_ERROR_COMPILATION);
  std::size_t size = 0;
  ASSERT_EQ(library_.nvrtcGetProgramLogSize(broken, &size), NVRTC_SUCCESS);
  std::string log(size, ' ');
  ASSERT_EQ(library_.nvrtcGetProgramLog(broken, log.data()), NVRTC_SUCCESS);
  EXPECT_NE(log.find("broken.cu(1): error"), std::string::npos) << log;
  EXPECT_EQ(library_.nvrtcDestroyProgram(&broken), NVRTC_SUCCESS);
  EXPECT_EQ(compile({"--no-such-option"}), NVRTC_ERROR_INVALID_OPTION);
  EXPECT_EQ(compile({"--gpu-architecture=sm_1"}), NVRTC_ERROR_INVALID_OPTION);
  EXPECT_STREQ(library_.nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION");
}

TEST_P(Compiling, ProgramsThatAreNone) {
  Program gone = nullptr;
  ASSERT_EQ(library_.nvrtcCreateProgram(&gone, kSource, nullptr, 0, nullptr, nullptr), NVRTC_SUCCESS);
  Program same = gone;
  ASSERT_EQ(library_.nvrtcDestroyProgram(&same), NVRTC_SUCCESS);
  for (Program none : {gone, reinterpret_cast<Program>(8), Program{}}) {
    std::size_t size = 0;
    const char* name = nullptr;
    EXPECT_EQ(library_.nvrtcCompileProgram(none, 0, nullptr), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(library_.nvrtcGetPTXSize(none, &size), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(library_.nvrtcGetCUBINSize(none, &size), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(library_.nvrtcGetLoweredName(none, "scale<float>", &name), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(library_.nvrtcDestroyProgram(&none), NVRTC_ERROR_INVALID_PROGRAM);
  }
}

// In this order: once NVIDIA's release 13 is loaded, its name stands for it.
INSTANTIATE_TEST_SUITE_P(Releases, Compiling, testing::Values("libnvrtc.so.13", "libnvrtc.so.12"));

TEST(WithoutACompiler, ALineNamesWhatIsMissing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto work = [] {
    setenv("NVMLKIT_NVRTC", "/nonexistent/libnvrtc.so.13", 1);
    const Nvrtc library("libnvrtc.so.13");
    int major = 0, minor = 0;
    std::_Exit(library.nvrtcVersion(&major, &minor) == NVRTC_ERROR_INTERNAL_ERROR ? 0 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0),
              "nvmlkit: NVMLKIT_NVRTC=/nonexistent/libnvrtc.so.13 is no libnvrtc of NVIDIA that can be loaded");
}

}  // namespace
}  // namespace nvmlkit::library_test
