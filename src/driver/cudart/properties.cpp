// Properties of devices: cudaGetDeviceProperties.
#include <cstring>
#include <initializer_list>

#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {
namespace {

int attribute(CUdevice_attribute which, int device) {
  int value = 0;
  cuDeviceGetAttribute(&value, which, device);
  return value;
}

// cudaDeviceProp, member after member: what comes in which version decides the layout.
class Properties {
 public:
  // `layout`: the version of CUDA whose struct it is.
  Properties(void* at, int device, int layout) : at_(static_cast<char*>(at)), device_(device), layout_(layout) {}

  int device() const { return device_; }
  bool is_since(int version) const { return layout_ >= version; }

  void bytes(const void* from, std::size_t size) {
    std::memcpy(at_ + end_, from, size);
    end_ += size;
  }
  void number(int value) { put(value); }
  void size(std::size_t value) { put(value); }
  void of(std::initializer_list<CUdevice_attribute> list) {
    for (const auto which : list) put(attribute(which, device_));
  }
  void of_before_13(CUdevice_attribute which) {
    if (!is_since(13000)) of({which});
  }
  void size_of(CUdevice_attribute which) { put(static_cast<std::size_t>(attribute(which, device_))); }

 private:
  template <class T>
  void put(T value) {
    end_ = (end_ + sizeof value - 1) / sizeof value * sizeof value;
    bytes(&value, sizeof value);
  }
  char* at_;
  int device_;
  int layout_;
  std::size_t end_ = 0;
};

#define A(name) CU_DEVICE_ATTRIBUTE_##name

// The groups of members, in the order of the struct.
void add_identity(Properties& p) {
  char name[256] = {};
  cuDeviceGetName(name, sizeof name, p.device());
  CUuuid uuid{};
  cuDeviceGetUuid_v2(&uuid, p.device());
  p.bytes(name, sizeof name);
  p.bytes(&uuid, 16);
  const char no_luid[8] = {};
  p.bytes(no_luid, 8);
  p.number(0);
}

void add_launch_limits(Properties& p) {
  std::size_t memory = 0;
  cuDeviceTotalMem_v2(&memory, p.device());
  p.size(memory);
  p.size_of(A(MAX_SHARED_MEMORY_PER_BLOCK));
  p.of({A(MAX_REGISTERS_PER_BLOCK), A(WARP_SIZE)});
  p.size_of(A(MAX_PITCH));
  p.of({A(MAX_THREADS_PER_BLOCK), A(MAX_BLOCK_DIM_X), A(MAX_BLOCK_DIM_Y), A(MAX_BLOCK_DIM_Z), A(MAX_GRID_DIM_X),
        A(MAX_GRID_DIM_Y), A(MAX_GRID_DIM_Z)});
  p.of_before_13(A(CLOCK_RATE));
  p.size_of(A(TOTAL_CONSTANT_MEMORY));
}

void add_kind_of_device(Properties& p) {
  p.of({A(COMPUTE_CAPABILITY_MAJOR), A(COMPUTE_CAPABILITY_MINOR)});
  p.size_of(A(TEXTURE_ALIGNMENT));
  p.size_of(A(TEXTURE_PITCH_ALIGNMENT));
  p.of_before_13(A(GPU_OVERLAP));
  p.of({A(MULTIPROCESSOR_COUNT)});
  p.of_before_13(A(KERNEL_EXEC_TIMEOUT));
  p.of({A(INTEGRATED), A(CAN_MAP_HOST_MEMORY)});
  p.of_before_13(A(COMPUTE_MODE));
}

void add_texture_extents(Properties& p) {
  p.of({A(MAXIMUM_TEXTURE1D_WIDTH), A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH)});
  p.of_before_13(A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
  p.of({A(MAXIMUM_TEXTURE2D_WIDTH),
        A(MAXIMUM_TEXTURE2D_HEIGHT),
        A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH),
        A(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT),
        A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
        A(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
        A(MAXIMUM_TEXTURE2D_LINEAR_PITCH),
        A(MAXIMUM_TEXTURE2D_GATHER_WIDTH),
        A(MAXIMUM_TEXTURE2D_GATHER_HEIGHT),
        A(MAXIMUM_TEXTURE3D_WIDTH),
        A(MAXIMUM_TEXTURE3D_HEIGHT),
        A(MAXIMUM_TEXTURE3D_DEPTH),
        A(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE),
        A(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE),
        A(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE),
        A(MAXIMUM_TEXTURECUBEMAP_WIDTH),
        A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH),
        A(MAXIMUM_TEXTURE1D_LAYERED_LAYERS),
        A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
        A(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
        A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
        A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
        A(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)});
}

void add_surface_extents(Properties& p) {
  p.of({A(MAXIMUM_SURFACE1D_WIDTH), A(MAXIMUM_SURFACE2D_WIDTH), A(MAXIMUM_SURFACE2D_HEIGHT), A(MAXIMUM_SURFACE3D_WIDTH),
        A(MAXIMUM_SURFACE3D_HEIGHT), A(MAXIMUM_SURFACE3D_DEPTH), A(MAXIMUM_SURFACE1D_LAYERED_WIDTH),
        A(MAXIMUM_SURFACE1D_LAYERED_LAYERS), A(MAXIMUM_SURFACE2D_LAYERED_WIDTH), A(MAXIMUM_SURFACE2D_LAYERED_HEIGHT),
        A(MAXIMUM_SURFACE2D_LAYERED_LAYERS), A(MAXIMUM_SURFACECUBEMAP_WIDTH), A(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH),
        A(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS)});
  p.size_of(A(SURFACE_ALIGNMENT));
}

void add_bus_and_multiprocessor(Properties& p) {
  p.of({A(CONCURRENT_KERNELS), A(ECC_ENABLED), A(PCI_BUS_ID), A(PCI_DEVICE_ID), A(PCI_DOMAIN_ID), A(TCC_DRIVER),
        A(ASYNC_ENGINE_COUNT), A(UNIFIED_ADDRESSING)});
  p.of_before_13(A(MEMORY_CLOCK_RATE));
  p.of({A(GLOBAL_MEMORY_BUS_WIDTH), A(L2_CACHE_SIZE), A(MAX_PERSISTING_L2_CACHE_SIZE),
        A(MAX_THREADS_PER_MULTIPROCESSOR), A(STREAM_PRIORITIES_SUPPORTED), A(GLOBAL_L1_CACHE_SUPPORTED),
        A(LOCAL_L1_CACHE_SUPPORTED)});
  p.size_of(A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  p.of({A(MAX_REGISTERS_PER_MULTIPROCESSOR), A(MANAGED_MEMORY), A(MULTI_GPU_BOARD), A(MULTI_GPU_BOARD_GROUP_ID),
        A(HOST_NATIVE_ATOMIC_SUPPORTED)});
  p.of_before_13(A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO));
}

void add_memory_access(Properties& p) {
  p.of({A(PAGEABLE_MEMORY_ACCESS), A(CONCURRENT_MANAGED_ACCESS), A(COMPUTE_PREEMPTION_SUPPORTED),
        A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM), A(COOPERATIVE_LAUNCH)});
  p.of_before_13(A(COOPERATIVE_MULTI_DEVICE_LAUNCH));
  p.size_of(A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  p.of({A(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES), A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST),
        A(MAX_BLOCKS_PER_MULTIPROCESSOR), A(MAX_ACCESS_POLICY_WINDOW_SIZE)});
  p.size_of(A(RESERVED_SHARED_MEMORY_PER_BLOCK));
}

void add_members_since_12(Properties& p) {
  p.of({A(HOST_REGISTER_SUPPORTED), A(SPARSE_CUDA_ARRAY_SUPPORTED), A(READ_ONLY_HOST_REGISTER_SUPPORTED),
        A(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED), A(MEMORY_POOLS_SUPPORTED), A(GPU_DIRECT_RDMA_SUPPORTED),
        A(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS), A(GPU_DIRECT_RDMA_WRITES_ORDERING), A(MEMPOOL_SUPPORTED_HANDLE_TYPES),
        A(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED), A(IPC_EVENT_SUPPORTED), A(CLUSTER_LAUNCH),
        A(UNIFIED_FUNCTION_POINTERS)});
}

void add_members_since_13(Properties& p) {
  p.of({A(NUMA_CONFIG), A(NUMA_ID), A(MPS_ENABLED), A(HOST_NUMA_ID), A(GPU_PCI_DEVICE_ID), A(GPU_PCI_SUBSYSTEM_ID),
        A(HOST_NUMA_MULTINODE_IPC_SUPPORTED)});
}

// The layout is that of one version of CUDA, such as 12000.
void fill(void* out, int device, int layout) {
  std::memset(out, 0, layout >= 13000 ? 1008 : layout >= 12000 ? 1032 : 728);
  Properties p(out, device, layout);
  add_identity(p);
  add_launch_limits(p);
  add_kind_of_device(p);
  add_texture_extents(p);
  add_surface_extents(p);
  add_bus_and_multiprocessor(p);
  add_memory_access(p);
  if (p.is_since(12000)) add_members_since_12(p);
  if (p.is_since(13000)) add_members_since_13(p);
}
#undef A

Error properties(void* out, int device, int layout) {
  if (!out) return keep(kInvalidValue);
  if (const auto result = start(); result != CUDA_SUCCESS) return keep(result);
  int count = 0;
  cuDeviceGetCount(&count);
  if (device < 0 || device >= count) return keep(CUDA_ERROR_INVALID_DEVICE);
  fill(out, device, layout);
  return 0;
}

}  // namespace

#if NVMLKIT_CUDART_VERSION >= 13000
NVMLKIT_RUNTIME Error cudaGetDeviceProperties(void* out, int device) { return properties(out, device, 13000); }
#else
NVMLKIT_RUNTIME Error cudaGetDeviceProperties(void* out, int device) { return properties(out, device, 11000); }
NVMLKIT_RUNTIME Error cudaGetDeviceProperties_v2(void* out, int device) { return properties(out, device, 12000); }
#endif

}  // namespace nvmlkit::cudart
