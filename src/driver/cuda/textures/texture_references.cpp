#include "driver/cuda/textures/texture_references.hpp"

#include <cstring>
#include <map>

#include "base/never_destroyed.hpp"
#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda {

CUresult TextureReference::renew() {
  if (texture) textures::remove(texture);
  texture = 0;
  auto result = CUDA_SUCCESS;
  if (is_bound) result = textures::make(resource, how, nullptr, is_surface, texture);
  if (result != CUDA_SUCCESS) is_bound = false;
  if (image) std::memcpy(image->bytes + offset, &texture, sizeof texture);
  return result;
}

TextureReference::~TextureReference() {
  if (texture) textures::remove(texture);
}

namespace texture_references {
namespace {

using Key = std::pair<CUmodule, std::string>;

struct Known {
  std::mutex mutex;
  std::map<Key, Handle> of_modules;
  Handles<Handle, TextureReference, HandleKind::texture_reference> all;
};
Known& known() {
  static NeverDestroyed<Known> the;
  return *the;
}

}  // namespace

Handle make(CUcontext context) {
  auto made = std::make_shared<TextureReference>();
  made->context = context;
  return known().all.add(std::move(made));
}

Handle of_module(const Module& module, CUmodule handle, std::string_view name, bool is_surface) {
  const auto variable = module.code->variable_named.find(name);
  const auto wanted = is_surface ? ptx::Reference::surface : ptx::Reference::texture;
  if (variable == module.code->variable_named.end() || variable->second->reference != wanted) return nullptr;
  auto& all = known();
  const std::lock_guard lock(all.mutex);
  auto& kept = all.of_modules[{handle, std::string(name)}];
  if (kept) return kept;
  auto made = std::make_shared<TextureReference>();
  made->context = module.context;
  made->module = handle;
  made->name = name;
  made->is_surface = is_surface;
  made->image = module.image;
  made->offset = variable->second->offset;
  return kept = all.all.add(std::move(made));
}

std::shared_ptr<TextureReference> find(Handle handle) { return known().all.find(handle); }

bool destroy(Handle handle) {
  const auto found = find(handle);
  return found && !found->module && known().all.remove(handle);
}

void remove_of(CUmodule module) {
  auto& all = known();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.of_modules, [&](const auto& entry) {
    if (entry.first.first != module) return false;
    all.all.remove(entry.second);
    return true;
  });
}

}  // namespace texture_references
}  // namespace nvmlkit::cuda
