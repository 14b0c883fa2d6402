// Textures of linear memory, whose size may be more than was allocated.
#include <array>
#include <cstdint>
#include <vector>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

const char* const kFetch = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry fetch(.param .u64 out, .param .u64 object, .param .u32 index)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [object];
  ld.param.u32 %r1, [index];
  tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd2, {%r1}];
  st.global.v2.u32 [%rd1], {%r2, %r3};
  ret;
}
)";

class CudaLinearTextures : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    CUmodule module = nullptr;
    ASSERT_EQ(driver().cuModuleLoadData(&module, kFetch), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuModuleGetFunction(&fetch_, module, "fetch"), CUDA_SUCCESS);
    result_ = allocate(8);
  }
  // Pairs of 32 bits.
  CUresult create(CUdeviceptr address, std::size_t size, CUtexObject& out) {
    // CUDA_RESOURCE_DESC: the kind, then a union: address, format and channels, size.
    const std::uint64_t format = CU_AD_FORMAT_UNSIGNED_INT32 | std::uint64_t{2} << 32;
    const std::array<std::uint64_t, 18> resource{CU_RESOURCE_TYPE_LINEAR, address, format, size};
    CUDA_TEXTURE_DESC how{};
    how.flags = 1;  // CU_TRSF_READ_AS_INTEGER
    return driver().cuTexObjectCreate(&out, as<const CUDA_RESOURCE_DESC>(resource.data()), &how, nullptr);
  }
  std::array<std::uint32_t, 2> fetch(CUtexObject object, std::uint32_t index) {
    std::array<std::uint32_t, 2> out{77, 77};
    EXPECT_EQ(launch_kernel(fetch_, 1, 1, CUstream{}, result_, object, index), CUDA_SUCCESS);
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(out.data(), result_, sizeof out), CUDA_SUCCESS);
    return out;
  }
  CUdeviceptr filled(std::size_t bytes, std::uint32_t first) {
    const auto out = allocate(bytes);
    std::vector<std::uint32_t> numbers(bytes / 4);
    for (auto& number : numbers) number = first++;
    EXPECT_EQ(driver().cuMemcpyHtoD_v2(out, numbers.data(), bytes), CUDA_SUCCESS);
    return out;
  }
  using Texel = std::array<std::uint32_t, 2>;

 private:
  CUfunction fetch_ = nullptr;
  CUdeviceptr result_ = 0;
};

TEST_F(CudaLinearTextures, MayBeLongerThanTheirMemory) {
  const auto one = filled(4096, 1), other = filled(4096, 5000);
  const auto first = std::min(one, other), second = std::max(one, other);
  const std::uint32_t value = first == one ? 1 : 5000, value_of_second = 5001 - value;
  CUtexObject object = 0;
  ASSERT_EQ(create(first, std::size_t{1} << 30, object), CUDA_SUCCESS);
  EXPECT_EQ(fetch(object, 0), (Texel{value, value + 1}));
  EXPECT_EQ(fetch(object, 511), (Texel{value + 1022, value + 1023}));
  // What else is at the address: the other memory, or nothing.
  const auto index = static_cast<std::uint32_t>((second - first) / 8);
  EXPECT_EQ(fetch(object, index), (Texel{value_of_second, value_of_second + 1}));
  EXPECT_EQ(fetch(object, index + 511), (Texel{value_of_second + 1022, value_of_second + 1023}));
  EXPECT_EQ(fetch(object, (1u << 27) - 1), (Texel{0, 0}));
  EXPECT_EQ(fetch(object, 1u << 27), (Texel{0, 0})) << "behind the texture";
  EXPECT_EQ(fetch(object, 0xFFFFFFFF), (Texel{0, 0})) << "before the texture";
  EXPECT_EQ(driver().cuTexObjectDestroy(object), CUDA_SUCCESS);
}

TEST_F(CudaLinearTextures, EndWhereTheirSizeSays) {
  const auto memory = filled(4096, 1);
  CUtexObject object = 0;
  ASSERT_EQ(create(memory, 80, object), CUDA_SUCCESS);
  EXPECT_EQ(fetch(object, 9), (Texel{19, 20}));
  EXPECT_EQ(fetch(object, 10), (Texel{0, 0}));
  EXPECT_EQ(driver().cuTexObjectDestroy(object), CUDA_SUCCESS);
}

TEST_F(CudaLinearTextures, AreRefusedWhereNoMemoryIs) {
  const auto memory = filled(4096, 1);
  CUtexObject object = 0;
  EXPECT_EQ(create(0, 80, object), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(memory - (std::uint64_t{1} << 40), 80, object), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(memory, (std::size_t{8} << 28) + 8, object), CUDA_ERROR_INVALID_VALUE) << "too many texels";
  EXPECT_EQ(create(memory, std::size_t{8} << 28, object), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuTexObjectDestroy(object), CUDA_SUCCESS);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
