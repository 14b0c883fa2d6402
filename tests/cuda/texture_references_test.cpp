// Mipmaps, and texture and surface references, by the driver API.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "loaded.hpp"

namespace nvmlkit::cuda_test {
namespace {

const char* const kReads = R"(
.version 7.0
.target sm_70
.address_size 64
.global .texref picture;
.global .surfref board;
.visible .entry reads(.param .u64 out)
{
  .reg .f32 %f<9>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.f32 %f1, 0f3F400000;
  mov.f32 %f2, 0f3F800000;
  tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [picture, {%f1, %f1}];
  st.global.f32 [%rd1], %f5;
  tex.level.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [picture, {%f1, %f1}], %f2;
  st.global.f32 [%rd1+4], %f5;
  mov.u32 %r1, 4;
  mov.u32 %r2, 1;
  sust.b.2d.b32.trap [board, {%r1, %r2}], {%f2};
  ret;
}
.visible .entry reads_object(.param .u64 out, .param .u64 object)
{
  .reg .f32 %f<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [object];
  mov.f32 %f1, 0f00000000;
  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd2, {%f1, %f1}];
  st.global.f32 [%rd1], %f2;
  ret;
}
)";

class CudaTextureReferences : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    ASSERT_EQ(driver().cuModuleLoadData(&module_, kReads), CUDA_SUCCESS);
  }
  // A mipmap of two levels, whose texels are 1, 2, 3 ... and 100.
  CUmipmappedArray mipmap() {
    CUDA_ARRAY3D_DESCRIPTOR shape{2, 2, 0, CU_AD_FORMAT_FLOAT, 1, 2};
    CUmipmappedArray out = nullptr;
    EXPECT_EQ(driver().cuMipmappedArrayCreate(&out, &shape, 2u), CUDA_SUCCESS);
    const float large[] = {1, 2, 3, 4}, small[] = {100};
    fill(level(out, 0), large, 2);
    fill(level(out, 1), small, 1);
    return out;
  }
  CUarray level(CUmipmappedArray of, unsigned number) {
    CUarray out = nullptr;
    EXPECT_EQ(driver().cuMipmappedArrayGetLevel(&out, of, number), CUDA_SUCCESS);
    return out;
  }
  void fill(CUarray array, const float* values, std::size_t size) {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = size * sizeof(float);
    copy.Height = size;
    EXPECT_EQ(driver().cuMemcpy2D_v2(static_cast<const CUDA_MEMCPY2D*>(&copy)), CUDA_SUCCESS);
  }
  CUresult launch(float out[2]) {
    CUfunction function = nullptr;
    EXPECT_EQ(driver().cuModuleGetFunction(&function, module_, "reads"), CUDA_SUCCESS);
    const auto memory = allocate(8);
    EXPECT_EQ(launch_kernel(function, 1, 1, CUstream{}, memory), CUDA_SUCCESS);
    return driver().cuMemcpyDtoH_v2(out, memory, std::size_t{8});
  }
  CUtexref texture() {
    CUtexref out = nullptr;
    EXPECT_EQ(driver().cuModuleGetTexRef(&out, module_, "picture"), CUDA_SUCCESS);
    return out;
  }
  CUsurfref surface() {
    CUsurfref out = nullptr;
    EXPECT_EQ(driver().cuModuleGetSurfRef(&out, module_, "board"), CUDA_SUCCESS);
    return out;
  }

  CUmodule module_ = nullptr;
};

TEST_F(CudaTextureReferences, AreBoundToMipmapsAndArrays) {
  auto* const levels = mipmap();
  auto* const picture = texture();
  EXPECT_EQ(texture(), picture);
  EXPECT_EQ(driver().cuTexRefSetMipmappedArray(picture, levels, 1u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuTexRefSetMipmapLevelClamp(picture, 0.0f, 10.0f), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuTexRefSetFlags(picture, 2u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuSurfRefSetArray(surface(), level(levels, 0), 0u), CUDA_SUCCESS);
  float out[2] = {};
  ASSERT_EQ(launch(out), CUDA_SUCCESS);
  EXPECT_EQ(out[0], 4.0f);
  EXPECT_EQ(out[1], 100.0f);
  ASSERT_EQ(launch(out), CUDA_SUCCESS);
  EXPECT_EQ(out[0], 1.0f);  // what the surface wrote

  CUarray bound = nullptr;
  EXPECT_EQ(driver().cuTexRefGetArray(&bound, picture), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuTexRefSetArray(picture, level(levels, 1), 1u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuTexRefGetArray(&bound, picture), CUDA_SUCCESS);
  EXPECT_EQ(bound, level(levels, 1));
  ASSERT_EQ(launch(out), CUDA_SUCCESS);
  EXPECT_EQ(out[0], 100.0f);
  EXPECT_EQ(driver().cuMipmappedArrayDestroy(levels), CUDA_SUCCESS);
}

TEST_F(CudaTextureReferences, AreBoundToMemory) {
  const float values[] = {5, 6, 0, 0, 0, 0, 0, 0, 7, 8};
  const auto memory = allocate(sizeof values);
  EXPECT_EQ(driver().cuMemcpyHtoD_v2(memory, values, sizeof values), CUDA_SUCCESS);
  const CUDA_ARRAY_DESCRIPTOR rows{2, 2, CU_AD_FORMAT_FLOAT, 1};
  auto* const picture = texture();
  EXPECT_EQ(driver().cuTexRefSetAddress2D_v3(picture, &rows, memory, std::size_t{8}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuTexRefSetAddress2D_v3(picture, &rows, memory, std::size_t{32}), CUDA_SUCCESS);
  CUdeviceptr address = 0;
  EXPECT_EQ(driver().cuTexRefGetAddress_v2(&address, picture), CUDA_SUCCESS);
  EXPECT_EQ(address, memory);
  auto* const levels = mipmap();
  EXPECT_EQ(driver().cuSurfRefSetArray(surface(), level(levels, 0), 0u), CUDA_SUCCESS);
  float out[2] = {};
  ASSERT_EQ(launch(out), CUDA_SUCCESS);
  EXPECT_EQ(out[0], 5.0f);
}

// Programs end a texture as soon as they have launched what reads it.
TEST_F(CudaTextureReferences, ObjectsLastAsLongAsKernelsReadThem) {
  // CUDA_RESOURCE_DESC: the kind (0, an array), then a union that begins with the array.
  const std::array<std::uint64_t, 18> resource{0, reinterpret_cast<std::uint64_t>(level(mipmap(), 1))};
  const CUDA_TEXTURE_DESC how{};
  CUtexObject object = 0;
  ASSERT_EQ(driver().cuTexObjectCreate(&object, as<const CUDA_RESOURCE_DESC>(resource.data()), &how, nullptr),
            CUDA_SUCCESS);
  CUfunction function = nullptr;
  ASSERT_EQ(driver().cuModuleGetFunction(&function, module_, "reads_object"), CUDA_SUCCESS);
  const auto memory = allocate(4);
  void (*const sleep)(void*) = [](void*) { usleep(20'000); };
  EXPECT_EQ(driver().cuLaunchHostFunc(CUstream{}, sleep, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(launch_kernel(function, 1, 1, CUstream{}, memory, object), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuTexObjectDestroy(object), CUDA_SUCCESS);
  float out = 0;
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(&out, memory, sizeof out), CUDA_SUCCESS);
  EXPECT_EQ(out, 100.0f);
  EXPECT_EQ(driver().cuTexObjectDestroy(object), CUDA_SUCCESS);
}

TEST_F(CudaTextureReferences, AreRefusedWhereTheyAreNone) {
  CUtexref none = nullptr;
  EXPECT_EQ(driver().cuModuleGetTexRef(&none, module_, "board"), CUDA_ERROR_NOT_FOUND);
  CUdeviceptr address = 0;
  EXPECT_EQ(driver().cuModuleGetGlobal_v2(&address, nullptr, module_, "picture"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuTexRefSetFlags(reinterpret_cast<CUtexref>(0x1234), 0u), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuTexRefDestroy(texture()), CUDA_ERROR_INVALID_HANDLE);
  CUtexref own = nullptr;
  EXPECT_EQ(driver().cuTexRefCreate(&own), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuTexRefDestroy(own), CUDA_SUCCESS);
  const auto picture = texture();
  EXPECT_EQ(driver().cuModuleUnload(module_), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuTexRefSetFlags(picture, 0u), CUDA_ERROR_INVALID_HANDLE);
  CUDA_ARRAY3D_DESCRIPTOR shape{4, 2, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray mipmap = nullptr;
  ASSERT_EQ(driver().cuMipmappedArrayCreate(&mipmap, &shape, 4u), CUDA_SUCCESS);  // has 3 levels
  CUarray level = nullptr;
  EXPECT_EQ(driver().cuMipmappedArrayGetLevel(&level, mipmap, 2u), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMipmappedArrayGetLevel(&level, mipmap, 3u), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace nvmlkit::cuda_test
