// Arrays, and textures and surfaces made of them or of memory.
#pragma once

#include <memory>

#include "driver/cuda/memory.hpp"
#include "driver/cuda/resource.hpp"
#include "ptx/memory_view.hpp"

namespace nvmlkit::cuda {

struct Array {
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  CUcontext context = nullptr;
  std::shared_ptr<Allocation> memory;

  std::size_t element_size() const;
  std::size_t row() const { return shape.Width * element_size(); }
  std::size_t height() const { return shape.Height ? shape.Height : 1; }
  std::size_t depth() const { return shape.Depth ? shape.Depth : 1; }
};

struct Texture {
  Resource resource{};
  CUDA_TEXTURE_DESC how{};
  std::shared_ptr<Array> array;  // or:
  std::shared_ptr<const Allocation> memory;
  // What lies where.
  std::byte* bytes = nullptr;
  CUarray_format format{};
  unsigned channels = 1;
  std::size_t width = 0, height = 1, depth = 1, row = 0;
};

namespace textures {

CUarray add(std::shared_ptr<Array> array);
std::shared_ptr<Array> find(CUarray array);
bool remove(CUarray array);
// 0: no such format.
std::size_t size_of(CUarray_format format);

CUresult make(const Resource& resource, const CUDA_TEXTURE_DESC& how, bool is_surface, unsigned long long& out);
std::shared_ptr<Texture> find(unsigned long long handle);
bool remove(unsigned long long handle);

bool sample(const ptx::Lookup& lookup, std::uint32_t out[4]);
bool surface(std::uint64_t handle, const std::int32_t at[3], std::size_t size, std::byte*& out);

// All arrays of a context.
void remove_of(CUcontext context);

}  // namespace textures
}  // namespace nvmlkit::cuda
