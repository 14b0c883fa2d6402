// Two pieces of PTX become one image, which runs.
#include <string>

#include "generated/nvjitlink_table.hpp"
#include "generated/nvrtc_table.hpp"
#include "gpu.hpp"
#include "lto.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace nvjitlink;

constexpr auto kFine = NVJITLINK_SUCCESS;
const std::string kHeader = ".version 7.0\n.target sm_70\n.address_size 64\n";
const std::string kCaller = kHeader + R"(
.extern .func (.param .b32 out) twice (.param .b32 in);
.visible .entry run(.param .u64 to) {
  .reg .b64 %a; .reg .b32 %x;
  ld.param.u64 %a, [to];
  { .param .b32 in; .param .b32 out;
    st.param.b32 [in], 21;
    call (out), twice, (in);
    ld.param.b32 %x, [out]; }
  st.global.u32 [%a], %x;
  ret;
})";
const std::string kCalled = kHeader + R"(
.visible .func (.param .b32 out) twice (.param .b32 in) {
  .reg .b32 %x;
  ld.param.b32 %x, [in];
  add.u32 %x, %x, %x;
  st.param.b32 [out], %x;
  ret;
})";

const Nvjitlink& library(int cuda) {
  static const Nvjitlink twelve("libnvJitLink.so.12"), thirteen("libnvJitLink.so.13");
  return cuda == 12 ? twelve : thirteen;
}

// What the kernel of an image writes.
int run(const std::vector<char>& image) {
  const OnDevice<int> out(std::vector<int>{0});
  cuda::CUmodule module = nullptr;
  cuda::CUfunction run = nullptr;
  EXPECT_EQ(gpu().find<decltype(&cuda::cuModuleLoadData)>("cuModuleLoadData")(&module, image.data()),
            cuda::CUDA_SUCCESS);
  EXPECT_EQ(gpu().find<decltype(&cuda::cuModuleGetFunction)>("cuModuleGetFunction")(&run, module, "run"),
            cuda::CUDA_SUCCESS);
  int* address = out.as();
  void* arguments[] = {&address};
  EXPECT_EQ(gpu().find<decltype(&cuda::cuLaunchKernel)>("cuLaunchKernel")(run, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                                                                          nullptr),
            cuda::CUDA_SUCCESS);
  return out.read()[0];
}

class Links : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const char* options[] = {"-arch=sm_90", "-O3"};
    ASSERT_EQ(lib_.nvJitLinkCreate(&link_, 2, options), kFine);
  }
  void TearDown() override { EXPECT_EQ(lib_.nvJitLinkDestroy(&link_), kFine); }
  nvJitLinkResult add(const std::string& ptx) {
    return lib_.nvJitLinkAddData(link_, NVJITLINK_INPUT_PTX, ptx.data(), ptx.size(), "piece");
  }

  const Nvjitlink& lib_ = library(GetParam());
  Link* link_ = nullptr;
};

TEST_P(Links, TwoPiecesRunAsOne) {
  ASSERT_EQ(add(kCaller), kFine);
  ASSERT_EQ(add(kCalled), kFine);
  ASSERT_EQ(lib_.nvJitLinkComplete(link_), kFine);
  std::size_t size = 0;
  ASSERT_EQ(lib_.nvJitLinkGetLinkedCubinSize(link_, &size), kFine);
  ASSERT_GT(size, 0u);
  std::vector<char> image(size);
  ASSERT_EQ(lib_.nvJitLinkGetLinkedCubin(link_, image.data()), kFine);
  EXPECT_EQ(run(image), 42);
}

TEST_P(Links, WhatIsMissingIsNamed) {
  ASSERT_EQ(add(kCaller), kFine);
  EXPECT_NE(lib_.nvJitLinkComplete(link_), kFine);
  std::size_t size = 0;
  ASSERT_EQ(lib_.nvJitLinkGetErrorLogSize(link_, &size), kFine);
  std::string log(size, '?');
  ASSERT_EQ(lib_.nvJitLinkGetErrorLog(link_, log.data()), kFine);
  EXPECT_NE(log.find("twice"), std::string::npos) << log;
}

TEST_P(Links, WrongPtxIsRefused) {
  ASSERT_EQ(add(kHeader + ".visible .entry run() { nonsense; }"), kFine);
  EXPECT_EQ(lib_.nvJitLinkComplete(link_), NVJITLINK_ERROR_PTX_COMPILE);
}

TEST_P(Links, WrongArguments) {
  Link* link = nullptr;
  const char* without[] = {"-O3"};
  const char* wrong[] = {"-arch=sm_90", "-nonsense"};
  const char* architecture[] = {"-arch=volta"};
  EXPECT_EQ(lib_.nvJitLinkCreate(&link, 1, without), NVJITLINK_ERROR_MISSING_ARCH);
  EXPECT_EQ(lib_.nvJitLinkCreate(&link, 2, wrong), NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
  EXPECT_EQ(lib_.nvJitLinkCreate(&link, 1, architecture), NVJITLINK_ERROR_UNRECOGNIZED_ARCH);
  EXPECT_EQ(lib_.nvJitLinkCreate(nullptr, 0, nullptr), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(lib_.nvJitLinkDestroy(&link), NVJITLINK_ERROR_INVALID_INPUT);
  auto* none = reinterpret_cast<Link*>(8);
  EXPECT_EQ(lib_.nvJitLinkDestroy(&none), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(lib_.nvJitLinkComplete(none), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(lib_.nvJitLinkComplete(nullptr), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(lib_.nvJitLinkAddData(link_, NVJITLINK_INPUT_PTX, nullptr, 3, "x"), NVJITLINK_ERROR_NULL_INPUT);
  EXPECT_EQ(lib_.nvJitLinkAddFile(link_, NVJITLINK_INPUT_PTX, "/nonexistent.ptx"), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(lib_.nvJitLinkAddData(link_, NVJITLINK_INPUT_LTOIR, "abc", 3, "x"), NVJITLINK_ERROR_LTO_NOT_ENABLED);
  std::size_t size = 0;
  EXPECT_EQ(lib_.nvJitLinkGetLinkedPtxSize(link_, &size), NVJITLINK_ERROR_LTO_NOT_ENABLED);
}

// LTO-IR that NVIDIA's libnvrtc makes, alone and in a fat binary, linked by NVIDIA's libnvJitLink, loaded by our
// driver.
TEST_P(Links, IntermediateCode) {
  const Nvrtc compiler(GetParam() == 12 ? "libnvrtc.so.12" : "libnvrtc.so.13");
  if (!has_compiler(compiler)) GTEST_SKIP() << "there is no libnvrtc of NVIDIA";
  const auto code =
      lto_ir(compiler, "__device__ int answer(); extern \"C\" __global__ void run(int* to) { *to = answer(); }");
  const auto other = fat_binary_of(lto_ir(compiler, "__device__ int answer() { return 42; }"));

  const char* link_options[] = {"-arch=sm_90", "-lto"};
  Link* link = nullptr;
  ASSERT_EQ(lib_.nvJitLinkCreate(&link, 2, link_options), kFine);
  ASSERT_EQ(lib_.nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, code.data(), code.size(), "run"), kFine);
  ASSERT_EQ(lib_.nvJitLinkAddData(link, NVJITLINK_INPUT_FATBIN, other.data(), other.size(), "answer"), kFine);
  const auto result = lib_.nvJitLinkComplete(link);
  std::string log(4096, '\0');
  lib_.nvJitLinkGetErrorLog(link, log.data());
  ASSERT_EQ(result, kFine) << log.c_str();
  std::size_t size = 0;
  ASSERT_EQ(lib_.nvJitLinkGetLinkedCubinSize(link, &size), kFine);
  std::vector<char> image(size);
  ASSERT_EQ(lib_.nvJitLinkGetLinkedCubin(link, image.data()), kFine);
  EXPECT_EQ(run(image), 42);
  EXPECT_EQ(lib_.nvJitLinkDestroy(&link), kFine);
}

// Programs of each release of CUDA 12 call functions of its own.
TEST(Names, OfEachRelease) {
  for (int minor = 0; minor < 10; ++minor)
    for (const char* const name : {"Create", "AddData", "Complete", "GetLinkedCubin", "Destroy"})
      EXPECT_NE(library(12).find<void*>(("__nvJitLink" + std::string(name) + "_12_" + std::to_string(minor)).c_str()),
                nullptr);
  EXPECT_NE(library(13).find<void*>("__nvJitLinkCreate_13_0"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Releases, Links, testing::Values(12, 13));

}  // namespace
}  // namespace nvmlkit::library_test
