// Topology and affinity: distances between GPUs, and their near CPUs.
#include "links_support.hpp"

namespace nvmlkit::driver_test {
namespace {

TEST_F(Links, TreeTellsDistancesAndWhatIsNear) {
  start("dgx-a100");
  EXPECT_EQ(level(0, 0), NVML_TOPOLOGY_INTERNAL);
  EXPECT_EQ(level(0, 1), NVML_TOPOLOGY_MULTIPLE);
  EXPECT_EQ(level(0, 2), NVML_TOPOLOGY_SYSTEM);
  unsigned long cpus[4] = {};
  EXPECT_EQ(call("nvmlDeviceGetCpuAffinity", device(), 4U, cpus), NVML_SUCCESS);
  EXPECT_EQ(cpus[0], 0xFFFF000000000000UL);  // 48-63
  EXPECT_EQ(cpus[1], 0UL);
  EXPECT_EQ(cpus[2], 0xFFFF000000000000UL);  // 176-191
  unsigned int scope = AFFINITY_SCOPE_SOCKET;
  EXPECT_EQ(call("nvmlDeviceGetCpuAffinityWithinScope", device(), 4U, cpus, scope), NVML_SUCCESS);
  EXPECT_EQ(cpus[0], 0xFFFF0000FFFFFFFFUL);  // with those of nodes 0 and 1
  unsigned long nodes[1] = {};
  EXPECT_EQ(call("nvmlDeviceGetMemoryAffinity", device(), 1U, nodes, scope), NVML_SUCCESS);
  EXPECT_EQ(nodes[0], 1UL << 0 | 1UL << 1 | 1UL << 3);
  scope = AFFINITY_SCOPE_NODE;
  EXPECT_EQ(call("nvmlDeviceGetMemoryAffinity", device(7), 1U, nodes, scope), NVML_SUCCESS);
  EXPECT_EQ(nodes[0], 1UL << 5);
  EXPECT_EQ(call("nvmlDeviceGetMemoryAffinity", device(7), 1U, nodes, 2U), NVML_ERROR_INVALID_ARGUMENT);

  nvmlDevice_t gpus[8] = {};
  unsigned int count = 8;
  EXPECT_EQ(call("nvmlSystemGetTopologyGpuSet", 222U, &count, gpus), NVML_SUCCESS);
  EXPECT_EQ(count, 8U);  // as the caller gave it
  EXPECT_EQ(gpus[0], device(6));
  EXPECT_EQ(gpus[1], device(7));
  EXPECT_EQ(gpus[2], nullptr);
  count = 0;
  EXPECT_EQ(call("nvmlSystemGetTopologyGpuSet", 222U, &count, static_cast<nvmlDevice_t*>(nullptr)), NVML_SUCCESS);
  EXPECT_EQ(count, 2U);
  count = 8;
  EXPECT_EQ(call("nvmlDeviceGetTopologyNearestGpus", device(4), NVML_TOPOLOGY_MULTIPLE, &count, gpus), NVML_SUCCESS);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(gpus[0], device(5));
}

TEST_F(Links, WithoutATreeAllCpusOfThisHostAreNear) {
  start("t4");
  unsigned long cpus[16] = {};
  EXPECT_EQ(call("nvmlDeviceGetCpuAffinity", device(), 16U, cpus), NVML_SUCCESS);
  int near = 0;
  for (const auto word : cpus) near += __builtin_popcountl(word);
  EXPECT_EQ(near, sysconf(_SC_NPROCESSORS_ONLN));
  unsigned int count = 0;
  EXPECT_EQ(call("nvmlSystemGetTopologyGpuSet", 0U, &count, static_cast<nvmlDevice_t*>(nullptr)), NVML_SUCCESS);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(call("nvmlDeviceGetCpuAffinity", device(), 0U, cpus), NVML_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nvmlkit::driver_test
