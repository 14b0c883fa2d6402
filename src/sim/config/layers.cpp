#include "sim/config/layers.hpp"

#include <algorithm>

#include "sim/config/builtin.hpp"
#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::sim::config {
namespace {

constexpr std::uint32_t kGpusWithoutDevices = 8;
constexpr std::uint32_t kNoIndex = 0xFFFFFFFF;
constexpr int kMostBases = 8;

const Path top;

Expected<void> check_version(const Node& root) {
  const Node version = root.find("version");
  if (!version || (version.kind() == Kind::scalar && version.text() == "1.0")) return {};
  return fail_at(version, top.key("version"),
                 wrong_value("\"1.0\"", version.kind() == Kind::scalar ? quote(version.text()) : std::string()));
}

Expected<std::string_view> builtin_text(const Node& base) {
  const std::string_view name = base.kind() == Kind::scalar ? base.text() : std::string_view();
  const std::string_view text = builtin_machine_text(name);
  if (!text.empty()) return text;
  return fail_at(base, top.key("base"), unknown_machine(name));
}

Node find(Node node, std::initializer_list<std::string_view> keys) {
  for (const auto key : keys)
    if (node) node = node.find(key);
  return node;
}

}  // namespace

Expected<Layers> Layers::of(std::string_view file, std::string_view text) {
  Layers out;
  if (auto good = out.add(file, text, 0); !good) return fail(std::move(good.error()));
  if (auto good = out.count_gpus(); !good) return fail(std::move(good.error()));
  return out;
}

Expected<void> Layers::add(std::string_view file, std::string_view text, int depth) {
  auto document = Document::parse(std::string(file), text);
  if (!document) return fail(std::move(document.error()));
  Layer layer;
  layer.document = std::make_unique<Document>(std::move(*document));
  layer.root = layer.document->root();
  if (!layer.root) return fail(missing("a machine, got an empty file").at({std::string(file), 1, 1}));
  if (layer.root.absent()) return fail(missing("a machine, got an empty document").at(layer.root.place()));
  if (auto good = expect_mapping(layer.root, top); !good) return good;
  if (auto good = check_version(layer.root); !good) return good;
  if (const Node base = layer.root.find("base"); base && !base.absent()) {
    const auto base_text = builtin_text(base);
    if (!base_text) return fail(base_text.error());
    if (depth == kMostBases)
      return fail_at(base, top.key("base"),
                     wrong_value("at most " + std::to_string(kMostBases) + " machines one upon the other"));
    if (auto good = add("built-in " + std::string(base.text()), *base_text, depth + 1); !good) return good;
  }
  if (const Node defaults = layer.root.find("device_defaults"); defaults && !defaults.absent())
    layer.defaults = defaults;
  if (auto good = find_devices(layer); !good) return good;
  layers_.push_back(std::move(layer));
  return {};
}

Expected<void> Layers::find_devices(Layer& layer) {
  const Node devices = layer.root.find("devices");
  if (!devices || devices.absent()) return {};
  if (devices.kind() != Kind::sequence) return fail_at(devices, top.key("devices"), wrong_value("a list"));
  const auto& type = model::descriptor<model::Gpu>();
  std::uint32_t i = 0;
  return devices.items([&](const Node& entry) -> Expected<void> {
    const Path here = Path::of({Owner::Kind::entry, 0, i});
    if (auto good = expect_mapping(entry, here); !good) return good;
    const Node number = entry.find("index");
    if (!number) return fail_at(entry, here, missing("a key 'index'"));
    const auto index = read_number(number, *type.find("index"), here.key("index"));
    if (!index) return fail(index.error());
    if (*index >= layer.devices.size()) layer.devices.resize(*index + 1);
    if (layer.device(*index) != nullptr) {
      const auto first_line = layer.devices[*index].node.find("index").line();
      Problem problem{.kind = ProblemKind::duplicate,
                      .what = "duplicate index " + std::to_string(*index),
                      .hint = "the first is at line " + std::to_string(first_line),
                      .naming = Naming::after};
      return fail_at(number, Path::of({Owner::Kind::entry, *index, i}), std::move(problem));
    }
    const Layers* below = nullptr;
    if (const Node base = entry.find("base"); base && !base.absent()) {
      const auto known = builtin(base);
      if (!known) return fail(known.error());
      below = *known;
    }
    layer.devices[*index] = {entry, i++, below};
    return {};
  });
}

Expected<const Layers*> Layers::builtin(const Node& base) {
  const auto text = builtin_text(base);
  if (!text) return fail(text.error());
  auto& known = bases_[std::string(base.text())];
  if (!known) {
    auto read = of("built-in " + std::string(base.text()), *text);
    if (!read) return fail(std::move(read.error()));
    known = std::make_unique<Layers>(std::move(*read));
  }
  return known.get();
}

Expected<void> Layers::count_gpus() {
  const auto& field = *model::descriptor<model::System>().find("num_devices");
  gpu_count_ = layers_.front().devices.empty() ? kGpusWithoutDevices : 0;
  const Path system = top.key("system");
  for (const auto& layer : layers_) {
    const Node number = find(layer.root, {"system", "num_devices"});
    if (number && !number.absent()) {
      const auto said = read_number(number, field, system.key("num_devices"));
      if (!said) return fail(said.error());
      gpu_count_ = *said;
    } else {
      gpu_count_ = std::max(gpu_count_, static_cast<std::uint32_t>(layer.devices.size()));
    }
  }
  return {};
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
