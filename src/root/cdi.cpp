#include "root/cdi.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

namespace nvmlkit::root {
namespace {

using Json = nlohmann::ordered_json;

// Device nodes are mounted like files: a runtime could not make nodes of a driver that is not there, and one without
// root's rights can make none at all.
Json node_mount(const CdiInput& input, const std::string& node) {
  return {{"hostPath", (input.root / "dev" / node).string()},
          {"containerPath", "/dev/" + node},
          {"options", {"ro", "nosuid", "nodev", "bind"}}};
}

// The GPU or the MIG device as words of the hook.
using HookWords = std::vector<std::string>;

HookWords words_of(const GpuDevice& gpu) { return {"--gpu", gpu.uuid}; }

HookWords words_of(const GpuDevice& gpu, const MigDevice& device) {
  return {"--gpu",
          gpu.uuid,
          "--gpu-instance",
          std::to_string(device.id.instance),
          "--compute-instance",
          std::to_string(device.id.compute)};
}

Json hook_edit(const CdiHook& hook, const char* at, const char* action, const HookWords& target) {
  auto words = Json::array({hook.program.filename().string(), action, "--state", hook.state.string()});
  for (const auto& word : target) words.push_back(word);
  for (const auto& [name, value] : {std::pair{"--memory", &hook.memory}, {"--load", &hook.load}})
    if (!value->empty()) words.insert(words.end(), {name, *value});
  return {{"hookName", at}, {"path", hook.program.string()}, {"args", words}};
}

Json device(const CdiInput& input, const std::string& name, const std::vector<std::string>& nodes,
            const std::vector<HookWords>& targets) {
  auto mounts = Json::array();
  for (const auto& node : nodes) mounts.push_back(node_mount(input, node));
  Json edits{{"mounts", mounts}};
  if (input.hook) {
    auto& hooks = edits["hooks"] = Json::array();
    for (const auto& target : targets)
      for (const auto& [at, action] : {std::pair{"createRuntime", "begin"}, {"poststop", "end"}})
        hooks.push_back(hook_edit(*input.hook, at, action, target));
  }
  return {{"name", name}, {"containerEdits", edits}};
}

// Strings are quoted, so that no reader takes one for a number: devices are called "0".
class YamlWriter {
 public:
  YamlWriter() {
    if (yaml_emitter_initialize(&emitter_) == 0) throw std::bad_alloc();
    yaml_emitter_set_output(&emitter_, append, &text_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_width(&emitter_, -1);
  }
  YamlWriter(const YamlWriter&) = delete;
  YamlWriter& operator=(const YamlWriter&) = delete;
  ~YamlWriter() { yaml_emitter_delete(&emitter_); }

  std::string write(const Json& document) {
    emit([](yaml_event_t* event) { return yaml_stream_start_event_initialize(event, YAML_UTF8_ENCODING); });
    emit([](yaml_event_t* event) { return yaml_document_start_event_initialize(event, nullptr, nullptr, nullptr, 1); });
    value(document);
    emit([](yaml_event_t* event) { return yaml_document_end_event_initialize(event, 1); });
    emit(yaml_stream_end_event_initialize);
    return text_;
  }

 private:
  static int append(void* text, unsigned char* bytes, std::size_t size) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  template <class Initialize>
  void emit(Initialize initialize) {
    yaml_event_t event;
    if (initialize(&event) == 0) throw std::bad_alloc();
    if (yaml_emitter_emit(&emitter_, &event) == 0) throw std::runtime_error(emitter_.problem);
  }

  void scalar(const std::string& text, yaml_scalar_style_t style) {
    emit([&](yaml_event_t* event) {
      return yaml_scalar_event_initialize(event, nullptr, nullptr, reinterpret_cast<const yaml_char_t*>(text.data()),
                                          static_cast<int>(text.size()), 1, 1, style);
    });
  }

  void value(const Json& value) {
    if (value.is_object()) return object(value);
    if (value.is_array()) return array(value);
    if (value.is_string()) return scalar(value.get<std::string>(), YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    scalar(value.dump(), YAML_PLAIN_SCALAR_STYLE);
  }

  void object(const Json& members) {
    emit([](yaml_event_t* event) {
      return yaml_mapping_start_event_initialize(event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE);
    });
    for (const auto& [name, member] : members.items()) {
      scalar(name, YAML_PLAIN_SCALAR_STYLE);
      value(member);
    }
    emit(yaml_mapping_end_event_initialize);
  }

  void array(const Json& elements) {
    emit([](yaml_event_t* event) {
      return yaml_sequence_start_event_initialize(event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE);
    });
    for (const auto& element : elements) value(element);
    emit(yaml_sequence_end_event_initialize);
  }

  yaml_emitter_t emitter_{};
  std::string text_;
};

}  // namespace

bool is_cdi_kind(std::string_view kind) {
  const auto slash = kind.find('/');
  if (slash == std::string_view::npos) return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_alphanumeric = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  const auto is_name = [&](std::string_view name) {
    return !name.empty() && is_letter(name.front()) && is_alphanumeric(name.back()) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; });
  };
  return is_name(kind.substr(0, slash)) && is_name(kind.substr(slash + 1));
}

Json cdi_specification(const CdiInput& input, const std::vector<GpuDevice>& gpus) {
  auto devices = Json::array();
  std::vector<std::string> all;
  std::vector<HookWords> all_targets;
  for (const auto& gpu : gpus) {
    if (!gpu.is_started) continue;
    const std::vector<std::string> own{node_of(gpu)};
    all.push_back(own[0]);
    // A GPU in MIG mode does no work itself; its devices do.
    if (!gpu.mig_enabled) {
      all_targets.push_back(words_of(gpu));
      devices.push_back(device(input, fmt::format("{}", gpu.index), own, {words_of(gpu)}));
      if (!gpu.uuid.empty()) devices.push_back(device(input, gpu.uuid, own, {words_of(gpu)}));
    }
    for (std::size_t i = 0; i < gpu.mig_devices.size(); ++i) {
      const auto nodes = nodes_of(gpu, gpu.mig_devices[i]);
      const auto target = words_of(gpu, gpu.mig_devices[i]);
      all_targets.push_back(target);
      devices.push_back(device(input, fmt::format("{}:{}", gpu.index, i), nodes, {target}));
      devices.push_back(device(input, gpu.mig_devices[i].uuid, nodes, {target}));
      for (const auto& node : nodes)
        if (std::find(all.begin(), all.end(), node) == all.end()) all.push_back(node);
    }
  }
  devices.push_back(device(input, "all", all.empty() ? control_nodes() : all, all_targets));

  auto mounts = Json::array();
  for (const auto& mount : input.mounts)
    mounts.push_back({{"hostPath", mount.host.string()},
                      {"containerPath", mount.container},
                      {"options", {mount.writable ? "rw" : "ro", "nosuid", "nodev", "bind"}}});
  for (const auto& node : control_nodes()) mounts.push_back(node_mount(input, node));
  return {{"cdiVersion", input.version},
          {"kind", input.kind},
          {"containerEdits", {{"env", input.variables}, {"mounts", mounts}}},
          {"devices", devices}};
}

std::string as_yaml(const Json& document) { return YamlWriter().write(document); }

}  // namespace nvmlkit::root
