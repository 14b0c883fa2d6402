// Arrays, and textures and surfaces of arrays or memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/textures/resource.hpp"
#include "ptx/memory_view.hpp"

namespace nvmlkit::cuda {

struct Array {
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  CUcontext context = nullptr;
  bool is_level = false;  // of a mipmapped array, which ends it
  std::shared_ptr<Allocation> memory;

  std::size_t element_size() const;
  std::size_t row() const { return shape.Width * element_size(); }
  std::size_t height() const { return shape.Height ? shape.Height : 1; }
  std::size_t depth() const { return shape.Depth ? shape.Depth : 1; }
};

// Arrays that halve from level to level.
struct MipmappedArray {
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  CUcontext context = nullptr;
  std::vector<CUarray> levels;
};

struct Texture {
  Resource resource{};
  CUDA_TEXTURE_DESC how{};
  CUDA_RESOURCE_VIEW_DESC view{};
  bool is_viewed = false;
  std::vector<std::shared_ptr<Array>> arrays;  // of each level; or:
  std::shared_ptr<const Allocation> memory;
  CUarray_format format{};
  unsigned channels = 1;
  unsigned first_layer = 0;
  // Of linear memory: the texels that the program names. Level 0 has those that are there.
  std::size_t linear_width = 0;
  // What lies where.
  struct Level {
    std::byte* bytes = nullptr;
    std::size_t width = 0, height = 1, depth = 1, row = 0;
  };
  std::vector<Level> levels;
  std::size_t element_size = 0;
};

namespace textures {

CUresult create(Device& device, CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& shape, CUarray& out);
CUresult create(Device& device, CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& shape, unsigned levels,
                CUmipmappedArray& out);
std::shared_ptr<Array> find(CUarray array);
bool destroy(CUarray array);  // false: there is none
std::shared_ptr<MipmappedArray> find(CUmipmappedArray mipmap);
bool remove(CUmipmappedArray mipmap);
// 0: no such format.
std::size_t size_of(CUarray_format format);

CUresult make(const Resource& resource, const CUDA_TEXTURE_DESC& how, const CUDA_RESOURCE_VIEW_DESC* view,
              bool is_surface, unsigned long long& out);
std::shared_ptr<Texture> find(unsigned long long handle);
bool remove(unsigned long long handle);

// How many of them could be read; the next one has no texture.
std::size_t sample(std::span<const ptx::Lookup> lookups, ptx::Sampled* out);
// What is read most, for all lanes at once (rows.cpp). False: it is another kind of texture, or of coordinates.
bool sample_row(const ptx::LookupRow& row, ptx::SampledRow& out);
// The same by numbers of texels (fetches.cpp).
bool fetch_row(const Texture& t, const ptx::LookupRow& row, ptx::SampledRow& out);
bool surface(std::uint64_t handle, const std::int32_t at[3], std::size_t size, bool clamps, std::byte*& out);

// All arrays of a context.
void remove_of(CUcontext context);

}  // namespace textures
}  // namespace nvmlkit::cuda
