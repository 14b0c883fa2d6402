// Programs that link code themselves: cuLink.
#include <fstream>
#include <string>

#include "driver/cuda/fatbin/elf.hpp"
#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

// A kernel, and what it calls in another text.
const char* const kCaller = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 out) twice(.param .b32 in);
.visible .entry fill(.param .u64 data)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  {
    .param .b32 in;
    .param .b32 out;
    st.param.b32 [in], %r1;
    call (out), twice, (in);
    ld.param.b32 %r2, [out];
  }
  st.global.u32 [%rd1], %r2;
  ret;
}
)";
const char* const kCallee = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 out) twice(.param .b32 in)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [in];
  add.u32 %r1, %r1, %r1;
  st.param.b32 [out], %r1;
  ret;
}
)";

class CudaLinks : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                              CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    ASSERT_EQ(driver().cuLinkCreate_v2(4u, options, values_, &link_), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(driver().cuLinkDestroy(link_), CUDA_SUCCESS);
    WithContext::TearDown();
  }
  CUresult add(const char* text, CUjitInputType type = CU_JIT_INPUT_PTX) { return add(std::string(text), type); }
  CUresult add(std::string bytes, CUjitInputType type) {
    return driver().cuLinkAddData_v2(link_, type, bytes.data(), bytes.size(), "part", 0u, nullptr, nullptr);
  }
  CUresult complete() { return driver().cuLinkComplete(link_, &image_, &size_); }
  std::string log() const { return log_; }
  std::string image() const { return {static_cast<const char*>(image_), size_}; }

  // What the kernel writes for its fourth thread.
  unsigned run() {
    const auto fill = kernel_of(static_cast<const char*>(image_), "fill");
    const auto data = allocate(128);
    EXPECT_EQ(launch_kernel(fill, 1, 32, CUstream{}, data), CUDA_SUCCESS);
    unsigned out = 0;
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(&out, data + 12, std::size_t{4}), CUDA_SUCCESS);
    EXPECT_EQ(release(data), CUDA_SUCCESS);
    return out;
  }

 private:
  char log_[256] = "unset", info_[16] = "unset";
  void* values_[4] = {log_, reinterpret_cast<void*>(sizeof log_), info_, reinterpret_cast<void*>(sizeof info_)};
  CUlinkState link_ = nullptr;
  void* image_ = nullptr;
  std::size_t size_ = 0;
};

TEST_F(CudaLinks, OfSeveralTextsRun) {
  ASSERT_EQ(add(kCaller), CUDA_SUCCESS);
  ASSERT_EQ(add(kCallee), CUDA_SUCCESS);
  ASSERT_EQ(complete(), CUDA_SUCCESS);
  EXPECT_EQ(log(), "");
  EXPECT_EQ(run(), 6u);
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(add(kCallee), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaLinks, TakeWhatAnotherLinkMade) {
  std::string made;
  {
    CUlinkState first = nullptr;
    ASSERT_EQ(driver().cuLinkCreate(0u, nullptr, nullptr, &first), CUDA_SUCCESS);
    const auto file = testing::TempDir() + "callee.ptx";
    std::ofstream(file) << kCallee;
    ASSERT_EQ(driver().cuLinkAddFile(first, CU_JIT_INPUT_PTX, file.c_str(), 0u, nullptr, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuLinkAddFile(first, CU_JIT_INPUT_PTX, "/nonexistent", 0u, nullptr, nullptr),
              CUDA_ERROR_FILE_NOT_FOUND);
    void* image = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(driver().cuLinkComplete(first, &image, &size), CUDA_SUCCESS);
    made.assign(static_cast<const char*>(image), size);
    EXPECT_EQ(driver().cuLinkDestroy(first), CUDA_SUCCESS);
  }
  ASSERT_EQ(add(made, CU_JIT_INPUT_CUBIN), CUDA_SUCCESS);
  ASSERT_EQ(add(kCaller), CUDA_SUCCESS);
  ASSERT_EQ(complete(), CUDA_SUCCESS);
  EXPECT_EQ(run(), 6u);
}

// As cubins: of the major number of the GPU, and of its minor number or an earlier one.
TEST_F(CudaLinks, TakeWhatWasAssembledForTheirGpu) {
  const auto assembled = [](int architecture) {
    return cuda::fatbin::image_of({.texts = {kCallee}, .architecture = architecture});
  };
  int major = 0, minor = 0;
  ASSERT_EQ(driver().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CUdevice{0}),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, CUdevice{0}),
            CUDA_SUCCESS);
  const int own = 10 * major + minor;
  const auto refused = "fatal   : Input file 'part' arch does not match target 'sm_" + std::to_string(own) + "'";
  EXPECT_EQ(add(assembled(own + 1), CU_JIT_INPUT_CUBIN), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(log(), refused);
  EXPECT_EQ(add(assembled(10 * (major - 1)), CU_JIT_INPUT_CUBIN), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(log(), refused + "\n" + refused);
  EXPECT_EQ(add(assembled(10 * major), CU_JIT_INPUT_CUBIN), CUDA_SUCCESS);
  ASSERT_EQ(add(kCaller), CUDA_SUCCESS);
  ASSERT_EQ(complete(), CUDA_SUCCESS);
  EXPECT_EQ(run(), 6u);
}

TEST_F(CudaLinks, EndWithWhatIsNoCode) {
  const std::string unknown = "error   : Binary format for key='0', ident='' is not recognized";
  EXPECT_EQ(add("garbage"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(log(), unknown);
  EXPECT_EQ(add("garbage", static_cast<CUjitInputType>(99)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(kCaller), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(log().find(unknown), 0u);
}

TEST_F(CudaLinks, TakeNoNvvm) { EXPECT_EQ(add("BC", CU_JIT_INPUT_NVVM), CUDA_ERROR_JIT_COMPILER_NOT_FOUND); }

TEST_F(CudaLinks, LookForCodeInObjects) {
  EXPECT_EQ(add("garbage", CU_JIT_INPUT_OBJECT), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(log(), "fatal   : Could not find fatbin in 'part'");
}

TEST_F(CudaLinks, TellWhatIsMissing) {
  ASSERT_EQ(add(kCaller), CUDA_SUCCESS);
  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(log(), "ptxas fatal   : Unresolved extern function 'twice'");
}

}  // namespace
}  // namespace nvmlkit::cuda_test
