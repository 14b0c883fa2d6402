// Clusters and tensor maps as the driver sees them; what kernels do with them is tested by programs/hopper.cu.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "loaded.hpp"
#include "own_process.hpp"

namespace nvmlkit::cuda_test {
namespace {

// Each block adds its rank to a number of the first block of its cluster.
const char* const kRanks = R"(
.version 8.0
.target sm_90
.address_size 64
.shared .align 4 .u32 sum;
.visible .entry ranks(.param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, sum;
  mapa.shared::cluster.u32 %r3, %r2, 0;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  red.shared::cluster.add.u32 [%r3], %r1;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  ld.shared.u32 %r4, [sum];
  getctarank.shared::cluster.u32 %r5, %r3;
  add.u32 %r4, %r4, %r5;
  mov.u32 %r6, %clusterid.x;
  mul.wide.u32 %rd2, %r6, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
DONE:
  ret;
}
.visible .entry pairs() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry beyond()
{
  .reg .b32 %r<3>;
  mov.u32 %r1, 0;
  mapa.shared::cluster.u32 %r2, %r1, 5;
  st.shared::cluster.u32 [%r2], %r1;
  ret;
}
)";

struct Attribute {
  unsigned id;
  unsigned pad;
  unsigned value[16];
};

class CudaClusters : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    ASSERT_EQ(driver().cuModuleLoadData(&module_, kRanks), CUDA_SUCCESS);
  }
  CUfunction function(const char* name) {
    CUfunction out = nullptr;
    EXPECT_EQ(driver().cuModuleGetFunction(&out, module_, name), CUDA_SUCCESS);
    return out;
  }
  CUlaunchConfig config(unsigned blocks, unsigned cluster) {
    size_ = {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 0, {cluster, 1, 1}};
    CUlaunchConfig out{};
    out.gridDimX = blocks;
    out.gridDimY = out.gridDimZ = out.blockDimX = out.blockDimY = out.blockDimZ = 1;
    out.attrs = reinterpret_cast<CUlaunchAttribute*>(&size_);
    out.numAttrs = cluster ? 1 : 0;
    return out;
  }
  CUresult launch(const char* name, unsigned blocks, unsigned cluster, CUdeviceptr out = 0) {
    const auto c = config(blocks, cluster);
    void* arguments[] = {&out};
    return driver().cuLaunchKernelEx(&c, function(name), arguments, nullptr);
  }

  CUmodule module_ = nullptr;
  Attribute size_{};
};

TEST_F(CudaClusters, ShareMemory) {
  const auto data = allocate(64);
  ASSERT_EQ(launch("ranks", 8, 4, data), CUDA_SUCCESS);
  std::array<unsigned, 2> sums{};
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(sums.data(), data, std::size_t{8}), CUDA_SUCCESS);
  EXPECT_EQ(sums, (std::array<unsigned, 2>{6, 6}));
  // Blocks alone are clusters of one.
  ASSERT_EQ(launch("ranks", 2, 0, data), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(sums.data(), data, std::size_t{8}), CUDA_SUCCESS);
  EXPECT_EQ(sums, (std::array<unsigned, 2>{0, 0}));
}

TEST_F(CudaClusters, AreAnAttributeOfNodesOfGraphs) {
  auto data = allocate(64);
  void* arguments[] = {&data};
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function("ranks");
  params.gridDimX = 8;
  params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec ready = nullptr;
  ASSERT_EQ(driver().cuGraphCreate(&graph, 0u), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphAddKernelNode_v2(&node, graph, nullptr, std::size_t{0}, &params), CUDA_SUCCESS);
  std::array<unsigned, 16> size{4, 1, 1}, read{};
  ASSERT_EQ(driver().cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                                   as<const CUkernelNodeAttrValue>(size.data())),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                                   as<CUkernelNodeAttrValue>(read.data())),
            CUDA_SUCCESS);
  EXPECT_EQ(read, size);
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&ready, graph, 0ull), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphLaunch(ready, static_cast<CUstream>(nullptr)), CUDA_SUCCESS);
  std::array<unsigned, 2> sums{};
  ASSERT_EQ(driver().cuMemcpyDtoH_v2(sums.data(), data, std::size_t{8}), CUDA_SUCCESS);
  EXPECT_EQ(sums, (std::array<unsigned, 2>{6, 6}));
  EXPECT_EQ(driver().cuGraphExecDestroy(ready), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(CudaClusters, HaveSizesThatFit) {
  EXPECT_EQ(launch("ranks", 9, 4), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch("ranks", 16, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch("pairs", 8, 4), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch("pairs", 3, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch("pairs", 4, 0), CUDA_SUCCESS);
  EXPECT_EQ(launch("pairs", 4, 2), CUDA_SUCCESS);
  int value = 0;
  EXPECT_EQ(driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, function("pairs")),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, function("pairs")),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 1);
  const auto c = config(64, 4);
  EXPECT_EQ(driver().cuOccupancyMaxPotentialClusterSize(&value, function("ranks"), &c), CUDA_SUCCESS);
  EXPECT_EQ(value, 8);
  EXPECT_EQ(driver().cuOccupancyMaxActiveClusters(&value, function("ranks"), &c), CUDA_SUCCESS);
  EXPECT_EQ(value, 248);  // 124 of 132 multiprocessors take clusters of 4 blocks
}

TEST_F(CudaClusters, EndWhereTheirMemoryEnds) {
  if (!has_own_process()) return;
  ASSERT_EQ(launch("beyond", 4, 4), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

class CudaTensorMaps : public WithContext {
 protected:
  CUresult tiled(CUtensorMap* out = nullptr) {
    return driver().cuTensorMapEncodeTiled(out ? out : map(), type, rank, address, extents.data(), strides.data(),
                                           box.data(), steps.data(), interleave, swizzle,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  }
  CUresult columns(std::array<int, 2> lower, std::array<int, 2> upper, unsigned channels, unsigned pixels) {
    return driver().cuTensorMapEncodeIm2col(map(), type, cuuint32_t{4}, address, extents.data(), strides.data(),
                                            lower.data(), upper.data(), channels, pixels, steps.data(), interleave,
                                            swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  }
  CUtensorMap* map() { return reinterpret_cast<CUtensorMap*>(bytes_); }

  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  cuuint32_t rank = 2;
  void* address = reinterpret_cast<void*>(std::uintptr_t{1} << 20);
  std::array<cuuint64_t, 5> extents{64, 32, 8, 4, 2};
  std::array<cuuint64_t, 4> strides{128, 4096, 32768, 131072};
  std::array<cuuint32_t, 5> box{64, 8, 1, 1, 1}, steps{1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  alignas(64) unsigned char bytes_[192] = {};
};

TEST_F(CudaTensorMaps, AreCheckedAsDocumented) {
  ASSERT_EQ(tiled(), CUDA_SUCCESS);
  const auto refused = [&](auto& field, auto value) {
    const auto before = field;
    field = static_cast<std::remove_reference_t<decltype(field)>>(value);
    EXPECT_EQ(tiled(), CUDA_ERROR_INVALID_VALUE);
    field = before;
    EXPECT_EQ(tiled(), CUDA_SUCCESS);
  };
  refused(rank, 0);
  refused(rank, 6);
  refused(type, 16);
  refused(address, static_cast<char*>(address) + 8);
  refused(extents[1], 0);
  refused(extents[0], (1ull << 32) + 1);
  refused(strides[0], 136);
  refused(strides[0], 1ull << 40);
  refused(box[1], 0);
  refused(box[1], 257);
  refused(box[0], 60);   // no multiple of 16 bytes
  refused(box[0], 128);  // a row is longer than what is exchanged
  refused(steps[1], 0);
  refused(steps[1], 9);
  refused(interleave, CU_TENSOR_MAP_INTERLEAVE_16B);  // of two dimensions
  refused(swizzle, 7);
  fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  EXPECT_EQ(tiled(), CUDA_SUCCESS);
  type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  EXPECT_EQ(tiled(), CUDA_ERROR_INVALID_VALUE);
  fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  EXPECT_EQ(tiled(reinterpret_cast<CUtensorMap*>(bytes_ + 32)), CUDA_SUCCESS);  // a real driver does not look
  EXPECT_EQ(tiled(), CUDA_SUCCESS);
}

TEST_F(CudaTensorMaps, DescribeColumnsOfPixels) {
  EXPECT_EQ(columns({-1, -1}, {0, 0}, 64, 128), CUDA_SUCCESS);
  EXPECT_EQ(columns({-129, 0}, {0, 0}, 64, 128), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(columns({0, 0}, {-40, 0}, 64, 128), CUDA_ERROR_INVALID_VALUE);  // nothing is left of 32
  EXPECT_EQ(columns({0, 0}, {0, 0}, 65, 128), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(columns({0, 0}, {0, 0}, 64, 1025), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaTensorMaps, TakeAnotherAddress) {
  EXPECT_EQ(driver().cuTensorMapReplaceAddress(map(), address), CUDA_SUCCESS);  // none yet
  ASSERT_EQ(tiled(), CUDA_SUCCESS);
  const std::vector<unsigned char> before(bytes_, bytes_ + 128);
  EXPECT_EQ(driver().cuTensorMapReplaceAddress(map(), static_cast<void*>(static_cast<char*>(address) + 4096)),
            CUDA_SUCCESS);
  EXPECT_FALSE(std::equal(before.begin(), before.end(), bytes_));
  EXPECT_EQ(driver().cuTensorMapReplaceAddress(map(), address), CUDA_SUCCESS);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), bytes_));
}

}  // namespace
}  // namespace nvmlkit::cuda_test
