#include "driver/cuda/textures.hpp"

#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda {

std::size_t Array::element_size() const { return textures::size_of(shape.Format) * shape.NumChannels; }

namespace textures {
namespace {

auto& all_arrays() {
  static auto* const the = new Handles<CUarray, Array, HandleKind::array>;
  return *the;
}

using Tag = struct TextureTag*;
auto& all() {
  static auto* const the = new Handles<Tag, Texture, HandleKind::texture>;
  return *the;
}
Tag tag_of(unsigned long long handle) { return reinterpret_cast<Tag>(static_cast<std::uintptr_t>(handle)); }

CUresult of_array(Texture& t) {
  t.array = find(t.resource.array);
  if (!t.array) return CUDA_ERROR_INVALID_VALUE;
  const auto& a = *t.array;
  t.bytes = a.memory->bytes;
  t.format = a.shape.Format;
  t.channels = a.shape.NumChannels;
  t.width = a.shape.Width;
  t.height = a.height();
  t.depth = a.depth();
  t.row = a.row();
  return CUDA_SUCCESS;
}

CUresult of_memory(Texture& t, CUdeviceptr address, std::size_t size) {
  auto span = memory::known(address, size);
  if (!span) return CUDA_ERROR_INVALID_VALUE;
  t.memory = std::move(span.holder);
  t.bytes = span.bytes;
  return CUDA_SUCCESS;
}

CUresult of_linear(Texture& t) {
  const auto& linear = t.resource.linear;
  t.format = linear.format;
  t.channels = linear.channels;
  const auto size = size_of(t.format) * t.channels;
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  t.width = linear.size / size;
  t.row = linear.size;
  return of_memory(t, linear.address, linear.size);
}

CUresult of_pitched(Texture& t) {
  const auto& pitched = t.resource.pitched;
  t.format = pitched.format;
  t.channels = pitched.channels;
  t.width = pitched.width;
  t.height = pitched.height;
  t.row = pitched.pitch;
  const auto row = size_of(t.format) * t.channels * t.width;
  std::size_t size = 0;
  if (row == 0 || t.height == 0 || pitched.pitch < row || __builtin_mul_overflow(pitched.pitch, t.height - 1, &size) ||
      __builtin_add_overflow(size, row, &size))
    return CUDA_ERROR_INVALID_VALUE;
  return of_memory(t, pitched.address, size);
}

}  // namespace

CUarray add(std::shared_ptr<Array> array) { return all_arrays().add(std::move(array)); }
std::shared_ptr<Array> find(CUarray array) { return all_arrays().find(array); }
bool remove(CUarray array) { return all_arrays().remove(array) != nullptr; }
void remove_of(CUcontext context) {
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

CUresult make(const Resource& resource, const CUDA_TEXTURE_DESC& how, bool is_surface, unsigned long long& out) {
  auto made = std::make_shared<Texture>();
  made->resource = resource;
  made->how = how;
  auto result = CUDA_ERROR_INVALID_VALUE;
  if (resource.type == CU_RESOURCE_TYPE_ARRAY) result = of_array(*made);
  if (resource.type == CU_RESOURCE_TYPE_LINEAR && !is_surface) result = of_linear(*made);
  if (resource.type == CU_RESOURCE_TYPE_PITCH2D && !is_surface) result = of_pitched(*made);
  if (resource.type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) result = CUDA_ERROR_NOT_SUPPORTED;
  if (result != CUDA_SUCCESS) return result;
  if (made->channels != 1 && made->channels != 2 && made->channels != 4) return CUDA_ERROR_INVALID_VALUE;
  out = reinterpret_cast<std::uintptr_t>(all().add(std::move(made)));
  return CUDA_SUCCESS;
}

std::shared_ptr<Texture> find(unsigned long long handle) { return all().find(tag_of(handle)); }
bool remove(unsigned long long handle) { return all().remove(tag_of(handle)) != nullptr; }

bool surface(std::uint64_t handle, const std::int32_t at[3], std::size_t size, std::byte*& out) {
  const auto t = find(handle);
  if (!t || !t->array) return false;
  out = nullptr;
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) return true;
  const auto x = static_cast<std::size_t>(at[0]), y = static_cast<std::size_t>(at[1]),
             z = static_cast<std::size_t>(at[2]);
  if (x + size <= t->row && y < t->height && z < t->depth) out = t->bytes + (z * t->height + y) * t->row + x;
  return true;
}

}  // namespace textures
}  // namespace nvmlkit::cuda
