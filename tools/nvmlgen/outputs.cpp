#include "outputs.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/interpose.hpp"
#include "emit/capture/emitters.hpp"
#include "emit/cuda/emitters.hpp"
#include "emit/driver/emitters.hpp"
#include "emit/driver/impersonation.hpp"
#include "emit/libraries/emitters.hpp"
#include "emit/model/emitters.hpp"
#include "emit/ptx/emitters.hpp"
#include "emit/trace/emitters.hpp"
#include "registry/error.hpp"

namespace nvmlgen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnformatted =
    "# Generated files keep the layout that nvmlgen gives them.\nDisableFormat: true\nSortIncludes: Never\n";

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

using Outputs = std::vector<Output>;

void add_abi(Outputs& out, const Registry& r) {
  out.push_back({"include/nvmlkit/generated/abi.hpp", emit_abi(r.facts)});
  out.push_back({"include/nvmlkit/generated/errc.hpp", emit_errc(r.facts)});
  out.push_back({"include/nvmlkit/generated/table.hpp", emit_table(r.facts, r.semantics)});
  out.push_back({"src/bindings/generated/abi_assertions.cpp", emit_abi_assertions(r.facts)});
  out.push_back({"src/bindings/generated/table_symbols.cpp", emit_table_symbols(r.facts)});
  out.push_back({"src/bindings/generated/visit_members.hpp", emit_visit_members(r.facts)});
  out.push_back({"src/bindings/generated/signatures.cpp", emit_signatures(r)});
}

void add_bindings(Outputs& out, const Registry& r) {
  out.push_back({"include/nvmlkit/generated/values.hpp", emit_values(r.facts, r.semantics.values)});
  out.push_back({"src/bindings/generated/value_conversions.hpp", emit_value_conversions(r.facts, r.semantics.values)});
  out.push_back({"src/bindings/generated/value_stores.hpp", emit_value_stores(r.facts, r.semantics)});
  out.push_back({"tests/nvml/generated/all_values.hpp", emit_value_list(r.facts, r.semantics.values)});
  out.push_back({"include/nvmlkit/generated/enum_names.hpp", emit_enum_names(r.facts)});
  out.push_back({"include/nvmlkit/generated/enumerators.hpp", emit_enumerators(r.facts, r.semantics.values)});
  out.push_back({"include/nvmlkit/generated/registry.hpp", emit_constexpr_registry(r)});
  out.push_back({"src/bindings/generated/enum_tables.cpp", emit_enum_tables(r.facts, r.semantics.values)});
  out.push_back({"include/nvmlkit/generated/enums.hpp", emit_enums(r.semantics.values)});

  for (const auto& c : emit_classes(r.facts, r.semantics)) {
    out.push_back({"include/nvmlkit/generated/" + c.file + ".hpp", c.header});
    out.push_back({"src/bindings/generated/" + c.file + ".cpp", c.source});
  }
  out.push_back({"include/nvmlkit/generated/module_exports.inc", emit_module_exports(r.facts, r.semantics.values)});
  out.push_back({"include/nvmlkit/generated/field_id.hpp", emit_field_id(r)});
  out.push_back({"src/bindings/generated/errata.cpp", emit_errata(r)});
  out.push_back({"tests/nvml/generated/callable.cpp", emit_callable(r)});
  out.push_back({"tests/nvml/generated/methods.cpp", emit_methods(r)});
}

void add_reference(Outputs& out, const Registry& r, const PublicHeaders& headers) {
  out.push_back({"docs/reference/functions.md", emit_function_reference(r)});
  out.push_back({"docs/reference/simulated.md", emit_simulated_reference(r)});
  out.push_back({"docs/reference/symbols.md", emit_symbol_index(r)});
  out.push_back({"docs/reference/enums.md", emit_enum_page(r)});
  out.push_back({"docs/reference/values.md", emit_value_page(r)});
  for (const auto& page : emit_class_pages(r, headers))
    out.push_back({"docs/reference/classes/" + page.file + ".md", page.text});
}

void add_model(Outputs& out, const Registry& r) {
  out.push_back({"src/sim/generated/model.hpp", emit_model_structs(r.model, r.facts)});
  out.push_back({"src/sim/generated/model_descriptors.hpp", emit_model_descriptors_header(r.model, r.facts)});
  out.push_back({"src/sim/generated/model_descriptors.cpp", emit_model_descriptors(r.model, r.facts)});
  out.push_back({"profiles/machine.schema.json", emit_model_schema(r.model, r.facts)});
  out.push_back({"docs/reference/model.md", emit_model_reference(r.model, r.facts)});
}

void add_driver(Outputs& out, const Registry& r) {
  for (const auto& subject : r.semantics.files)
    out.push_back({"src/driver/nvml/generated/exports_" + subject + ".cpp", emit_exports(r, subject)});
  out.push_back({"src/driver/nvml/generated/functions.hpp", emit_functions_header(r)});
  out.push_back({"src/sim/generated/symbols.hpp", emit_symbols(r)});
  out.push_back({"src/driver/nvml/generated/call_arguments.cpp", emit_call_arguments(r)});
  out.push_back({"src/sim/generated/return_codes.hpp", emit_return_codes(r)});
  out.push_back({"src/sim/generated/vgpu_types.hpp", emit_vgpu_types(r)});
  out.push_back({"src/sim/generated/sxids.hpp", emit_sxids(r)});
  out.push_back({"src/sim/generated/xids.hpp", emit_xids(r)});
  out.push_back({"src/sim/generated/architecture_traits.hpp", emit_architecture_traits(r)});
  out.push_back({"src/driver/nvml/generated/known_values.hpp", emit_known_values(r)});
  out.push_back({"src/driver/nvml/generated/exports.map", emit_version_script(r)});
  out.push_back({"src/driver/nvml/generated/field_values.cpp", emit_field_values(r)});
  out.push_back({"src/driver/nvml/generated/gpm_metrics.cpp", emit_gpm_metrics(r)});
  out.push_back({"src/sim/generated/driver_branches.hpp", emit_driver_branches(r)});
  out.push_back({"src/driver/nvml/generated/field_numbering.cpp", emit_field_numbering(r)});
  out.push_back({"src/driver/nvml/generated/in_process_table.hpp", emit_in_process_table(r)});
  // The library of the newest branch is the one that exports everything.
  for (const auto& branch : r.driver_branches)
    if (branch.number != r.driver_branches.back().number)
      out.push_back({fmt::format("src/driver/nvml/generated/exports_{}.map", branch.number),
                     emit_version_script_of(exports_of(r, branch))});
  out.push_back({"tests/contract/generated/contract_table.cpp", emit_contract_table(r)});
}

void add_capture(Outputs& out, const Registry& r) {
  out.push_back({"src/capture/generated/questions.cpp", emit_questions(r)});
  out.push_back({"src/capture/generated/shown.cpp", emit_shown(r)});
}

void add_trace(Outputs& out, const Registry& r) {
  out.push_back({"src/bindings/call_memory/generated/pointers.cpp", emit_trace_pointers(r)});
  out.push_back({"src/trace/generated/private_slots.cpp", emit_private_slots(r)});
  out.push_back({"src/driver/trace/generated/exports.cpp", emit_trace_exports(r)});
}

void add_cuda(Outputs& out, const Registry& r) {
  const fs::path to = "src/driver/cuda/generated";
  out.push_back({to / "api.hpp", cuda::emit_api(r.cuda)});
  out.push_back({to / "prototypes.hpp", cuda::emit_prototypes(r.cuda)});
  for (const auto& subject : r.cuda.subjects)
    out.push_back({to / ("exports_" + subject + ".cpp"), cuda::emit_exports(r.cuda, subject)});
  out.push_back({to / "functions.hpp", cuda::emit_functions_header(r.cuda)});
  out.push_back({to / "objects.cpp", cuda::emit_objects(r.cuda)});
  out.push_back({to / "exports.map", cuda::emit_version_script(r.cuda)});
  out.push_back({to / "entry_points.cpp", cuda::emit_entry_points(r.cuda)});
  out.push_back({to / "errors.cpp", cuda::emit_errors(r.cuda)});
  out.push_back({to / "attributes.cpp", cuda::emit_attributes(r.cuda)});
  out.push_back({"tests/cuda/generated/driver_table.hpp", cuda::emit_driver_table(r.cuda)});
  out.push_back({"tests/cuda/generated/contract_table.cpp", cuda::emit_contract_table(r.cuda)});
  const fs::path runtime = "src/driver/cudart/generated";
  out.push_back({runtime / "api.hpp", cuda::emit_runtime_api(r.cuda)});
  out.push_back({runtime / "driver_calls.cpp", cuda::emit_runtime_driver_calls(r.cuda)});
  out.push_back({runtime / "variants.cpp", cuda::emit_runtime_variants(r.cuda)});
  out.push_back({runtime / "unsupported.cpp", cuda::emit_runtime_unsupported(r.cuda)});
  out.push_back({"docs/reference/cudart.md", cuda::emit_runtime_reference(r.cuda)});
  out.push_back({"tests/cuda/generated/runtime_contract_table.cpp", cuda::emit_runtime_contract_table(r.cuda)});
  out.push_back({"tests/cuda/generated/against_cuda_h.cpp", cuda::emit_header_check(r.cuda)});
  out.push_back({"docs/reference/cuda.md", cuda::emit_reference(r.cuda)});
}

void add_ptx(Outputs& out, const Registry& r) {
  out.push_back({"src/ptx/generated/instructions.hpp", ptx::emit_header(r.ptx)});
  out.push_back({"src/ptx/generated/instructions.cpp", ptx::emit_table(r.ptx)});
  out.push_back({"docs/reference/ptx.md", ptx::emit_reference(r.ptx)});
}

void add_libraries(Outputs& out, const Registry& r) {
  for (const auto& library : r.libraries) {
    const fs::path to = fs::path("src/libraries") / library.id / "generated";
    out.push_back({to / "types.hpp", libraries::emit_types(library)});
    out.push_back({to / "api.hpp", libraries::emit_api(library)});
    for (const auto& subject : library.subjects)
      out.push_back({to / ("exports_" + subject + ".cpp"), libraries::emit_exports(library, subject)});
    out.push_back({to / "unsupported.cpp", libraries::emit_unsupported(library)});
    for (const auto& release : library.releases)
      out.push_back({to / (release.soname + ".map"), libraries::emit_version_script(library, release)});
    out.push_back({"tests/libraries/generated/" + library.id + "_table.hpp", libraries::emit_test_table(library)});
    out.push_back({"docs/reference/libraries/" + library.id + ".md", libraries::emit_reference(library)});
  }
}

std::set<fs::path> generated_folders(const Outputs& outputs) {
  std::set<fs::path> folders;
  for (const auto& output : outputs)
    if (output.path.parent_path().filename() == "generated") folders.insert(output.path.parent_path());
  return folders;
}

}  // namespace

std::vector<Output> all_outputs(const Registry& r, const PublicHeaders& headers) {
  Outputs out;
  add_abi(out, r);
  add_bindings(out, r);
  add_reference(out, r, headers);
  add_model(out, r);
  add_driver(out, r);
  add_capture(out, r);
  add_trace(out, r);
  add_cuda(out, r);
  add_ptx(out, r);
  add_libraries(out, r);
  for (const auto& folder : generated_folders(out)) out.push_back({folder / ".clang-format", kUnformatted});
  return out;
}

std::vector<fs::path> write_outputs(const fs::path& root, const std::vector<Output>& outputs) {
  std::vector<fs::path> written;
  for (const auto& output : outputs) {
    const auto file = root / output.path;
    if (fs::exists(file) && contents(file) == output.text) continue;  // keeps the time stamp, and so the build short
    fs::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << output.text;
    if (!stream.flush()) throw RegistryError(file.string(), "cannot be written");
    written.push_back(output.path);
  }
  return written;
}

std::vector<fs::path> stale_outputs(const fs::path& root, const std::vector<Output>& outputs) {
  std::vector<fs::path> stale;
  std::set<fs::path> known;
  for (const auto& output : outputs) {
    known.insert(output.path);
    const auto file = root / output.path;
    if (!fs::exists(file) || contents(file) != output.text) stale.push_back(output.path);
  }
  for (const auto& folder : generated_folders(outputs)) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::directory_iterator(root / folder))
      if (!known.count(folder / entry.path().filename())) stale.push_back(folder / entry.path().filename());
  }
  return stale;
}

}  // namespace nvmlgen
