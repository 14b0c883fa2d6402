// The documents that describe one machine: a file, and the built-in machine below it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/document.hpp"

namespace nvmlkit::sim::config {

class Layers;

struct DeviceEntry {
  Node node;                     // no node where the list has no entry for the index
  std::uint32_t position = 0;    // in the list
  const Layers* base = nullptr;  // of another machine's GPUs
};

struct Layer {
  std::unique_ptr<Document> document;  // nodes point at it
  Node root;
  Node defaults;                     // device_defaults, if any
  std::vector<DeviceEntry> devices;  // by index

  const DeviceEntry* device(std::uint32_t index) const {
    return index < devices.size() && devices[index].node ? &devices[index] : nullptr;
  }
};

class Layers {
 public:
  // Problems: those of Document::parse(), a wrong version, an unknown base, a wrong `devices` list or count.
  static Expected<Layers> of(std::string_view file, std::string_view text);

  const std::vector<Layer>& all() const { return layers_; }  // what is overridden first

  // How many GPUs the documents describe.
  std::uint32_t gpu_count() const { return gpu_count_; }

  // Where a field of a GPU got its value: in its own entry or in the defaults of the topmost layer that says anything
  // about it. `own` reports which of both.
  Node stated_at(std::uint32_t gpu, std::initializer_list<std::string_view> keys, bool* own = nullptr) const;

 private:
  Expected<void> add(std::string_view file, std::string_view text, int depth);
  Expected<const Layers*> builtin(const Node& base);
  Expected<void> find_devices(Layer& layer);
  Expected<void> count_gpus();

  std::vector<Layer> layers_;
  std::uint32_t gpu_count_ = 0;
  std::map<std::string, std::unique_ptr<Layers>, std::less<>> bases_;  // of single GPUs
};

}  // namespace nvmlkit::sim::config
