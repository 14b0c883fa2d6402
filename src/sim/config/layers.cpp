#include "sim/config/layers.hpp"

#include <algorithm>

#include "sim/config/builtin.hpp"
#include "sim/config/reader.hpp"
#include "sim/config/suggest.hpp"
#include "sim/generated/model_descriptors.hpp"

namespace nvmlkit::sim::config {
namespace {

constexpr std::uint32_t kGpusWithoutDevices = 8;
constexpr std::uint32_t kNoIndex = 0xFFFFFFFF;

const Path top;

void check_version(const Node& root) {
  const Node version = root.find("version");
  if (!version) return;
  if (version.kind() != Kind::scalar || version.text() != "1.0")
    version.fail("version: expected \"1.0\"" +
                 (version.kind() == Kind::scalar ? ", got " + quote(version.text()) : std::string()));
}

template <class BaseOf>
void find_devices(Layer& layer, BaseOf base_of) {
  const Path path{&top, "devices", 0};
  const Node devices = layer.root.find("devices");
  if (!devices || devices.absent()) return;
  if (devices.kind() != Kind::sequence) devices.fail("devices: expected a list");
  const auto& type = model::descriptor<model::Gpu>();
  std::uint32_t i = 0;
  devices.items([&](const Node& entry) {
    const Path here{&path, {}, i};
    expect_mapping(entry, here);
    const Node number = entry.find("index");
    if (!number) entry.fail(here.text() + ": expected a key 'index'");
    const auto index = read_number(number, *type.find("index"), Path{&here, "index", 0});
    if (index >= layer.devices.size()) layer.devices.resize(index + 1);
    if (layer.device(index) != nullptr)
      number.fail("duplicate index " + std::to_string(index) + " in " + here.text() + "; the first is at line " +
                  std::to_string(layer.devices[index].node.find("index").line()));
    const Node base = entry.find("base");
    layer.devices[index] = {entry, i++, base && !base.absent() ? &base_of(base) : nullptr};
  });
}

std::string_view builtin_text(const Node& base) {
  const std::string_view name = base.kind() == Kind::scalar ? base.text() : std::string_view();
  const std::string_view text = builtin_machine_text(name);
  if (!text.empty()) return text;
  std::vector<std::string_view> names;
  for (const auto& machine : list_builtin_machines()) names.push_back(machine.name);
  base.fail("base: unknown machine " + quote(name) + hint(name, names));
}

Node find(Node node, std::initializer_list<std::string_view> keys) {
  for (const auto key : keys)
    if (node) node = node.find(key);
  return node;
}

}  // namespace

Layers::Layers(std::string_view file, std::string_view text) { add(file, text, 0); }

void Layers::add(std::string_view file, std::string_view text, int depth) {
  Layer layer;
  layer.document = std::make_unique<Document>(Document::parse(std::string(file), text));
  layer.root = layer.document->root();
  if (!layer.root) throw ConfigFailure{{std::string(file), 1, 1, "expected a machine, got an empty file"}};
  if (layer.root.absent()) layer.root.fail("expected a machine, got an empty document");
  expect_mapping(layer.root, top);
  check_version(layer.root);
  if (const Node base = layer.root.find("base"); base && !base.absent()) {
    const auto base_text = builtin_text(base);
    if (depth == 8) base.fail("base: expected at most 8 machines one upon the other");
    add("built-in " + std::string(base.text()), base_text, depth + 1);
  }
  if (const Node defaults = layer.root.find("device_defaults"); defaults && !defaults.absent())
    layer.defaults = defaults;
  find_devices(layer, [this](const Node& device_base) -> const Layers& { return builtin(device_base); });
  layers_.push_back(std::move(layer));
}

const Layers& Layers::builtin(const Node& base) {
  const auto text = builtin_text(base);
  auto& known = bases_[std::string(base.text())];
  if (!known) known = std::make_unique<Layers>("built-in " + std::string(base.text()), text);
  return *known;
}

std::uint32_t Layers::gpu_count() const {
  const Path system{&top, "system", 0}, path{&system, "num_devices", 0};
  const auto& field = *model::descriptor<model::System>().find("num_devices");
  std::uint32_t count = layers_.front().devices.empty() ? kGpusWithoutDevices : 0;
  for (const auto& layer : layers_) {
    const Node number = find(layer.root, {"system", "num_devices"});
    if (number && !number.absent())
      count = read_number(number, field, path);
    else
      count = std::max(count, static_cast<std::uint32_t>(layer.devices.size()));
  }
  return count;
}

Node Layers::stated_at(std::uint32_t gpu, std::initializer_list<std::string_view> keys, bool* own) const {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    if (const auto* entry = layer->device(gpu))
      if (const Node node = find(entry->node, keys)) {
        if (own != nullptr) *own = true;
        return node;
      }
    if (const auto* entry = layer->device(gpu); entry != nullptr && entry->base != nullptr) {
      if (layer->defaults)
        if (const Node node = find(layer->defaults, keys)) {
          if (own != nullptr) *own = false;
          return node;
        }
      return entry->base->stated_at(kNoIndex, keys, own);  // its GPUs in general, none of them in particular
    }
    if (layer->defaults)
      if (const Node node = find(layer->defaults, keys)) {
        if (own != nullptr) *own = false;
        return node;
      }
  }
  return {};
}

}  // namespace nvmlkit::sim::config
