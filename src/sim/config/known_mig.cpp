#include "sim/config/known_mig.hpp"

#include <memory>

#include "sim/config/builtin.hpp"
#include "sim/config/document.hpp"
#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"

namespace nvmlkit::sim::config {
namespace {

// False where the text is no machine with such a GPU.
bool read_mig(const BuiltinMachine& builtin, std::string_view name, model::Mig& mig) {
  if (builtin.text.find(name) == std::string_view::npos) return false;
  const auto document = Document::parse(std::string(builtin.name), builtin.text);
  if (!document) return false;
  const Node defaults = document->root().find("device_defaults");
  const Node named = defaults ? defaults.find("name") : Node();
  const Node described = defaults ? defaults.find("mig") : Node();
  if (!named || !described || named.text() != name) return false;
  return apply(described, model::descriptor<model::Mig>(), reinterpret_cast<std::byte*>(&mig), Path{}).has_value();
}

}  // namespace

void adopt_mig_profiles(Machine& machine) {
  std::unique_ptr<model::Mig> known;
  std::string_view known_name;
  for (auto& gpu : machine.gpus()) {
    if (!gpu.mig.mode_current || !gpu.mig.profiles.empty() || !gpu.name) continue;
    if (!known || known_name != gpu.name->view()) {
      known = std::make_unique<model::Mig>();
      known_name = gpu.name->view();
      for (const auto& builtin : list_builtin_machines())
        if (read_mig(builtin, known_name, *known)) break;
    }
    gpu.mig.profiles = known->profiles;
  }
}

}  // namespace nvmlkit::sim::config
