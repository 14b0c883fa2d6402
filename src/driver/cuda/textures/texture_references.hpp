// Texture and surface references: variables of a module that the host binds to arrays or memory. The place of such a
// variable in device memory contains the handle of the bound texture object.
#pragma once

#include <memory>
#include <mutex>

#include "driver/cuda/code/modules.hpp"
#include "driver/cuda/textures/textures.hpp"

namespace nvmlkit::cuda {

struct TextureReference {
  CUcontext context = nullptr;
  CUmodule module = nullptr;  // null: made by the program, and of no module
  std::string name;
  bool is_surface = false;
  std::shared_ptr<Allocation> image;  // of the module, where the handle goes
  std::uint64_t offset = 0;

  std::mutex mutex;  // of what follows
  bool is_bound = false;
  Resource resource{};
  CUDA_TEXTURE_DESC how{};
  CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT8;
  unsigned channels = 1;
  unsigned long long texture = 0;

  // After a change: makes the texture anew.
  CUresult renew();
  ~TextureReference();
};

namespace texture_references {

using Handle = struct TextureReferenceTag*;
inline Handle tag(CUtexref handle) { return reinterpret_cast<Handle>(handle); }
inline Handle tag(CUsurfref handle) { return reinterpret_cast<Handle>(handle); }

Handle make(CUcontext context);
// The reference of that name in a module, the same each time; null: none.
Handle of_module(const Module& module, CUmodule handle, std::string_view name, bool is_surface);
std::shared_ptr<TextureReference> find(Handle handle);
// Of those that the program made itself.
bool destroy(Handle handle);
void remove_of(CUmodule module);

// work(reference), alone.
template <class Reference, class Work>
CUresult with(Reference reference, Work work) {
  const auto found = find(tag(reference));
  if (!found) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(found->mutex);
  return work(*found);
}

}  // namespace texture_references
}  // namespace nvmlkit::cuda
