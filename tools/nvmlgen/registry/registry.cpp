#include "registry/registry.hpp"

#include "registry/by_hand.hpp"
#include "registry/holes.hpp"

namespace nvmlgen {

Registry load_registry(const std::filesystem::path& directory) {
  Registry registry;
  registry.facts = load_facts(directory / "facts");
  registry.semantics = load_semantics(directory / "semantics", registry.facts);
  registry.semantics.values = load_values(directory / "semantics" / "values", registry.facts);
  refuse_value_holes(registry.facts, registry.semantics);
  registry.model = load_model(directory / "model", registry.facts);
  registry.field_ids = load_field_ids(directory / "semantics" / "values" / "field_values.yaml", registry.facts);
  registry.gpm_metrics = load_gpm_metrics(directory / "semantics" / "values" / "gpm_metrics.yaml", registry.facts);
  registry.errata = load_errata(directory / "semantics" / "values", registry.facts, registry.field_ids);
  load_by_hand(directory / "semantics" / "values" / "by_hand.yaml", registry.semantics);
  refuse_enum_holes(registry.facts, registry.semantics);
  registry.driver_branches = load_driver_branches(directory, registry.facts);
  registry.cuda_of_branches = load_cuda_of_branches(directory);
  registry.cuda = cuda::load(directory / "cuda", registry.model);
  registry.vgpu_types = load_vgpu_types(directory / "semantics" / "values" / "vgpu_types.yaml");
  registry.ptx = ptx::load(directory / "cuda" / "ptx.yaml");
  registry.sxids = load_sxids(directory / "semantics" / "values" / "sxids.yaml");
  registry.xids = load_xids(directory / "semantics" / "values" / "xids.yaml");
  registry.architectures =
      load_architectures(directory / "semantics" / "values" / "architectures.yaml", registry.model);
  registry.questions =
      load_questions(directory / "semantics" / "values" / "questions.yaml", registry.facts, registry.semantics);
  registry.shown = load_shown(directory / "semantics" / "values" / "shown.yaml", registry.facts, registry.model);
  registry.followed = load_followed(directory / "semantics" / "values" / "pointers.yaml", registry.facts);
  registry.private_tables = load_private_tables(directory / "semantics" / "values" / "private_slots.yaml");
  registry.libraries = libraries::load_libraries(directory / "libraries");
  refuse_holes(registry.semantics, registry.field_ids, registry.model);
  return registry;
}

}  // namespace nvmlgen
