// Textures of linear memory, whose size may be more than was allocated.
#include <array>
#include <cstdint>
#include <cstring>
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

// Lanes with a bit in `readers` read the texel that their number in `indices` says; the others keep what they have.
const char* const kFetchByWarp = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry fetch_by_warp(.param .u64 out, .param .u64 object, .param .u64 indices, .param .u32 readers)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [object];
  ld.param.u64 %rd3, [indices];
  ld.param.u32 %r1, [readers];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd4, %r2, 4;
  add.u64 %rd3, %rd3, %rd4;
  ld.global.u32 %r3, [%rd3];
  mul.wide.u32 %rd5, %r2, 16;
  add.u64 %rd1, %rd1, %rd5;
  mov.u32 %r4, 77;
  mov.u32 %r5, 77;
  mov.u32 %r6, 77;
  mov.u32 %r7, 77;
  shr.u32 %r8, %r1, %r2;
  and.b32 %r8, %r8, 1;
  setp.eq.u32 %p1, %r8, 0;
  @%p1 bra STORE;
  tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r3}];
STORE:
  st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};
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
    ASSERT_EQ(driver().cuModuleLoadData(&module, kFetchByWarp), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuModuleGetFunction(&fetch_by_warp_, module, "fetch_by_warp"), CUDA_SUCCESS);
    result_ = allocate(8);
  }
  // By default pairs of 32 bits.
  CUresult create(CUdeviceptr address, std::size_t size, CUtexObject& out,
                  CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT32, unsigned channels = 2) {
    // CUDA_RESOURCE_DESC: the kind, then a union: address, format and channels, size.
    const std::uint64_t texel = static_cast<unsigned>(format) | std::uint64_t{channels} << 32;
    const std::array<std::uint64_t, 18> resource{CU_RESOURCE_TYPE_LINEAR, address, texel, size};
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
  using Indices = std::array<std::uint32_t, 32>;
  using Texels = std::array<std::array<std::uint32_t, 4>, 32>;
  Texels fetch_by_warp(CUtexObject object, const Indices& indices, std::uint32_t readers) {
    const auto of_lanes = allocate(sizeof indices), results = allocate(sizeof(Texels));
    EXPECT_EQ(driver().cuMemcpyHtoD_v2(of_lanes, indices.data(), sizeof indices), CUDA_SUCCESS);
    EXPECT_EQ(launch_kernel(fetch_by_warp_, 1, 32, CUstream{}, results, object, of_lanes, readers), CUDA_SUCCESS);
    Texels out{};
    EXPECT_EQ(driver().cuMemcpyDtoH_v2(out.data(), results, sizeof out), CUDA_SUCCESS);
    return out;
  }
  CUdeviceptr filled(std::size_t bytes, std::uint32_t first) {
    const auto out = allocate(bytes);
    std::vector<std::uint32_t> numbers(bytes / 4);
    for (auto& number : numbers) number = first++;
    EXPECT_EQ(driver().cuMemcpyHtoD_v2(out, numbers.data(), bytes), CUDA_SUCCESS);
    return out;
  }
  struct Memories {
    CUdeviceptr first, second;  // in the order of their addresses
    std::uint32_t value, value_of_second;
  };
  Memories two_memories() {
    const auto one = filled(4096, 1), other = filled(4096, 5000);
    if (one < other) return {one, other, 1, 5000};
    return {other, one, 5000, 1};
  }
  using Texel = std::array<std::uint32_t, 2>;

 private:
  CUfunction fetch_ = nullptr, fetch_by_warp_ = nullptr;
  CUdeviceptr result_ = 0;
};

TEST_F(CudaLinearTextures, MayBeLongerThanTheirMemory) {
  const auto [first, second, value, value_of_second] = two_memories();
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

// Of an integer, with its sign.
std::uint32_t component(const std::byte* bytes, unsigned size, bool is_signed) {
  std::uint32_t out = 0;
  std::memcpy(&out, bytes, size);
  const auto unused = 32 - 8 * size;
  return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(out << unused) >> unused) : out;
}

TEST_F(CudaLinearTextures, GiveEachLaneItsTexelInEachFormat) {
  struct Format {
    CUarray_format format;
    unsigned size;
    bool is_signed;
  };
  constexpr Format kFormats[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, 1, false},  {CU_AD_FORMAT_SIGNED_INT8, 1, true},
      {CU_AD_FORMAT_UNSIGNED_INT16, 2, false}, {CU_AD_FORMAT_SIGNED_INT16, 2, true},
      {CU_AD_FORMAT_UNSIGNED_INT32, 4, false}, {CU_AD_FORMAT_SIGNED_INT32, 4, true},
      {CU_AD_FORMAT_FLOAT, 4, false},
  };
  constexpr std::uint32_t kWidth = 50, kReaders = 0xFFF7FFFB;
  std::array<std::byte, 16 * kWidth> bytes;
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::byte>(k * 37 % 251);
  const auto memory = allocate(bytes.size());
  ASSERT_EQ(driver().cuMemcpyHtoD_v2(memory, bytes.data(), bytes.size()), CUDA_SUCCESS);
  Indices indices{};
  for (std::uint32_t l = 0; l < 32; ++l) indices[l] = l * 29 % kWidth;
  indices[2] = 0x80000000;  // does not read
  indices[7] = kWidth;
  indices[8] = 0xFFFFFFFF;
  for (const auto& format : kFormats)
    for (const unsigned channels : {1u, 2u, 4u}) {
      SCOPED_TRACE(testing::Message() << "format " << format.format << ", channels " << channels);
      CUtexObject object = 0;
      const auto texel = format.size * channels;
      ASSERT_EQ(create(memory, kWidth * texel, object, format.format, channels), CUDA_SUCCESS);
      const auto texels = fetch_by_warp(object, indices, kReaders);
      for (unsigned l = 0; l < 32; ++l)
        for (unsigned k = 0; k < 4; ++k) {
          std::uint32_t expected = 0;
          if ((kReaders >> l & 1) == 0) {
            expected = 77;
          } else if (indices[l] < kWidth && k < channels) {
            expected = component(&bytes[indices[l] * texel + k * format.size], format.size, format.is_signed);
          }
          EXPECT_EQ(texels[l][k], expected) << "lane " << l << ", component " << k;
        }
      EXPECT_EQ(driver().cuTexObjectDestroy(object), CUDA_SUCCESS);
    }
}

TEST_F(CudaLinearTextures, GiveLanesWhatLiesBehindTheirMemory) {
  const auto [first, second, value, value_of_second] = two_memories();
  CUtexObject object = 0;
  ASSERT_EQ(create(first, std::size_t{1} << 30, object), CUDA_SUCCESS);
  Indices indices{};
  for (std::uint32_t l = 0; l < 32; ++l) indices[l] = l;
  indices[5] = static_cast<std::uint32_t>((second - first) / 8);
  indices[6] = (1u << 27) - 1;
  const auto texels = fetch_by_warp(object, indices, 0xFFFFFFFF);
  EXPECT_EQ(texels[4][1], value + 9);
  EXPECT_EQ(texels[5][0], value_of_second);
  EXPECT_EQ(texels[6][0], 0u);
  EXPECT_EQ(texels[7][0], value + 14);
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
