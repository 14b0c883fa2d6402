#include "driver/cuda/textures/textures.hpp"

#include <algorithm>
#include <bit>

#include "base/never_destroyed.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda {

std::size_t Array::element_size() const { return textures::size_of(shape.Format) * shape.NumChannels; }

namespace textures {
namespace {

auto& all_arrays() {
  static NeverDestroyed<Handles<CUarray, Array, HandleKind::array>> the;
  return *the;
}

using Tag = struct TextureTag*;
auto& all() {
  static NeverDestroyed<Handles<Tag, Texture, HandleKind::texture>> the;
  return *the;
}
Tag tag_of(unsigned long long handle) { return reinterpret_cast<Tag>(static_cast<std::uintptr_t>(handle)); }

auto& all_mipmaps() {
  static NeverDestroyed<Handles<CUmipmappedArray, MipmappedArray, HandleKind::mipmapped_array>> the;
  return *the;
}

constexpr unsigned kLayered = 1, kSurface = 2, kCube = 4, kGather = 8;  // CUDA_ARRAY3D_...

CUresult create(Device& device, CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& shape, bool is_level, CUarray& out) {
  if (size_of(shape.Format) == 0 || shape.Width == 0) return CUDA_ERROR_INVALID_VALUE;
  if (shape.NumChannels != 1 && shape.NumChannels != 2 && shape.NumChannels != 4) return CUDA_ERROR_INVALID_VALUE;
  if ((shape.Flags & ~(kLayered | kSurface | kCube | kGather)) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  if (shape.Flags & kCube) {
    const bool has_six = shape.Flags & kLayered ? shape.Depth > 0 && shape.Depth % 6 == 0 : shape.Depth == 6;
    if (shape.Width != shape.Height || !has_six) return CUDA_ERROR_INVALID_VALUE;
  }
  constexpr std::size_t kMost = 131072;
  if (shape.Width > kMost || shape.Height > kMost || shape.Depth > kMost) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_shared<Array>();
  made->shape = shape;
  made->context = context;
  made->is_level = is_level;
  const auto size = made->row() * made->height() * made->depth();
  made->memory = memory::allocate(MemoryKind::device, device, context, size);
  if (!made->memory) return CUDA_ERROR_OUT_OF_MEMORY;
  out = all_arrays().add(std::move(made));
  return CUDA_SUCCESS;
}

// Views count from 1: unsigned and signed integers and floats of 1, 2 and 4 components, by the size of a component.
bool is_format_of(CUresourceViewFormat view, CUarray_format format, unsigned channels) {
  constexpr CUarray_format kInOrder[] = {
      CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
      CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
  const auto number = static_cast<unsigned>(view) - 1;
  return number < 24 && kInOrder[number / 3] == format && 1u << number % 3 == channels;
}

CUresult add_level(Texture& t, CUarray handle) {
  auto array = find(handle);
  if (!array) return CUDA_ERROR_INVALID_VALUE;
  t.format = array->shape.Format;
  t.channels = array->shape.NumChannels;
  t.levels.push_back({array->memory->bytes, array->shape.Width, array->height(), array->depth(), array->row()});
  t.arrays.push_back(std::move(array));
  return CUDA_SUCCESS;
}

CUresult of_mipmap(Texture& t) {
  const auto mipmap = find(t.resource.mipmap);
  if (!mipmap) return CUDA_ERROR_INVALID_VALUE;
  for (const auto level : mipmap->levels)
    if (const auto result = add_level(t, level); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}

CUresult of_memory(Texture& t, CUdeviceptr address, std::size_t size) {
  auto span = memory::known(address, size, Use::read);
  if (!span) return CUDA_ERROR_INVALID_VALUE;
  t.memory = std::move(span.holder);
  t.levels.back().bytes = span.bytes;
  return CUDA_SUCCESS;
}

// From an address on, as many of these bytes as lie in its allocation.
std::size_t bytes_there(CUdeviceptr address, std::size_t size) {
  if (memory::known(address, size, Use::read)) return size;
  const auto allocation = memory::find(address);
  return allocation ? std::min<std::size_t>(size, allocation->address + allocation->size - address) : 0;
}

constexpr std::size_t kMostTexels = std::size_t{1} << 28;  // CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH

// The address has to be one of memory; the size may be more than is there, as in NVIDIA's own samples.
CUresult of_linear(Texture& t) {
  const auto& linear = t.resource.linear;
  t.format = linear.format;
  t.channels = linear.channels;
  const auto size = size_of(t.format) * t.channels;
  if (size == 0 || linear.size / size > kMostTexels) return CUDA_ERROR_INVALID_VALUE;
  const auto there = bytes_there(linear.address, linear.size);
  if (there < size) return CUDA_ERROR_INVALID_VALUE;
  t.linear_width = linear.size / size;
  t.levels.push_back({nullptr, there / size, 1, 1, there});
  return of_memory(t, linear.address, there);
}

CUresult of_pitched(Texture& t) {
  const auto& pitched = t.resource.pitched;
  t.format = pitched.format;
  t.channels = pitched.channels;
  t.levels.push_back({nullptr, pitched.width, pitched.height, 1, pitched.pitch});
  const auto row = size_of(t.format) * t.channels * pitched.width;
  std::size_t size = 0;
  if (row == 0 || pitched.height == 0 || pitched.pitch < row ||
      __builtin_mul_overflow(pitched.pitch, pitched.height - 1, &size) || __builtin_add_overflow(size, row, &size))
    return CUDA_ERROR_INVALID_VALUE;
  return of_memory(t, pitched.address, size);
}

// A part of the levels and layers. That texels are read as another format of their size is not simulated.
CUresult narrow(Texture& t, const CUDA_RESOURCE_VIEW_DESC& view) {
  if (t.arrays.empty()) return CUDA_ERROR_INVALID_VALUE;
  if (view.format != CU_RES_VIEW_FORMAT_NONE && !is_format_of(view.format, t.format, t.channels))
    return CUDA_ERROR_NOT_SUPPORTED;
  if (view.lastMipmapLevel < view.firstMipmapLevel || view.lastMipmapLevel >= t.levels.size() ||
      view.lastLayer < view.firstLayer || view.lastLayer >= t.levels[0].depth)
    return CUDA_ERROR_INVALID_VALUE;
  t.levels.erase(t.levels.begin() + view.lastMipmapLevel + 1, t.levels.end());
  t.levels.erase(t.levels.begin(), t.levels.begin() + view.firstMipmapLevel);
  if (view.lastLayer > 0) {
    t.first_layer = view.firstLayer;
    for (auto& level : t.levels) level.depth = view.lastLayer + 1;
  }
  t.view = view;
  t.is_viewed = true;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult create(Device& device, CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& shape, CUarray& out) {
  return create(device, context, shape, false, out);
}

CUresult create(Device& device, CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& shape, unsigned levels,
                CUmipmappedArray& out) {
  std::size_t largest = std::max(shape.Width, shape.Height);
  if ((shape.Flags & (kLayered | kCube)) == 0) largest = std::max(largest, shape.Depth);
  levels = std::clamp(levels, 1u, static_cast<unsigned>(std::bit_width(largest)));  // documented
  auto made = std::make_shared<MipmappedArray>();
  made->shape = shape;
  made->context = context;
  const auto halved = [](std::size_t size, unsigned level) {
    return size ? std::max<std::size_t>(size >> level, 1) : 0;
  };
  for (unsigned level = 0; level < levels; ++level) {
    auto own = shape;
    own.Width = halved(shape.Width, level);
    own.Height = halved(shape.Height, level);
    if ((shape.Flags & (kLayered | kCube)) == 0) own.Depth = halved(shape.Depth, level);
    CUarray array = nullptr;
    if (const auto result = create(device, context, own, true, array); result != CUDA_SUCCESS) {
      for (const auto before : made->levels) destroy(before);
      return result;
    }
    made->levels.push_back(array);
  }
  out = all_mipmaps().add(std::move(made));
  return CUDA_SUCCESS;
}

std::shared_ptr<Array> find(CUarray array) { return all_arrays().find(array); }
bool destroy(CUarray handle) {
  const auto array = all_arrays().remove(handle);
  if (array) memory::remove(array->memory->address, MemoryKind::device, MemoryKind::device);
  return array != nullptr;
}
std::shared_ptr<MipmappedArray> find(CUmipmappedArray mipmap) { return all_mipmaps().find(mipmap); }
bool remove(CUmipmappedArray mipmap) { return all_mipmaps().remove(mipmap) != nullptr; }
void remove_of(CUcontext context) {
  all_mipmaps().remove_if([&](const MipmappedArray& mipmap) { return mipmap.context == context; });
  all_arrays().remove_if([&](const Array& array) { return array.context == context; });
}

std::size_t size_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return 0;
  }
}

CUresult make(const Resource& resource, const CUDA_TEXTURE_DESC& how, const CUDA_RESOURCE_VIEW_DESC* view,
              bool is_surface, unsigned long long& out) {
  auto made = std::make_shared<Texture>();
  made->resource = resource;
  made->how = how;
  auto result = CUDA_ERROR_INVALID_VALUE;
  if (resource.type == CU_RESOURCE_TYPE_ARRAY) result = add_level(*made, resource.array);
  if (resource.type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY && !is_surface) result = of_mipmap(*made);
  if (resource.type == CU_RESOURCE_TYPE_LINEAR && !is_surface) result = of_linear(*made);
  if (resource.type == CU_RESOURCE_TYPE_PITCH2D && !is_surface) result = of_pitched(*made);
  if (result == CUDA_SUCCESS && view) result = narrow(*made, *view);
  if (result != CUDA_SUCCESS) return result;
  if (made->channels != 1 && made->channels != 2 && made->channels != 4) return CUDA_ERROR_INVALID_VALUE;
  made->element_size = size_of(made->format) * made->channels;
  out = reinterpret_cast<std::uintptr_t>(all().add(std::move(made)));
  return CUDA_SUCCESS;
}

std::shared_ptr<Texture> find(unsigned long long handle) { return all().find(tag_of(handle)); }
bool remove(unsigned long long handle) { return all().remove(tag_of(handle)) != nullptr; }

bool surface(std::uint64_t handle, const std::int32_t at[3], std::size_t size, bool clamps, std::byte*& out) {
  const auto t = find(handle);
  if (!t || t->arrays.empty()) return false;
  const auto& level = t->levels[0];
  out = nullptr;
  if (size > level.row) return true;
  const std::size_t last[3] = {level.row - size, level.height - 1, level.depth - 1};
  std::size_t place[3];
  for (int k = 0; k < 3; ++k) {
    const auto edge = static_cast<std::int64_t>(last[k]);
    if (!clamps && (at[k] < 0 || at[k] > edge)) return true;
    place[k] = static_cast<std::size_t>(std::clamp<std::int64_t>(at[k], 0, edge));
  }
  out = level.bytes + (place[2] * level.height + place[1]) * level.row + place[0];
  return true;
}

}  // namespace textures
}  // namespace nvmlkit::cuda
