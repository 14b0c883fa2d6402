#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emit/cuda_emitters.hpp"
#include "emit/cuda_text.hpp"

namespace nvmlgen::cuda {
namespace {

std::string argument(const RuntimeParam& p) {
  if (p.struct_size) return fmt::format("words({})", (p.struct_size + 7) / 8);
  if (p.is_callback) return "callback";
  if (p.is_handle()) return fmt::format("handle(\"{}\")", p.type);
  if (!p.is_pointer()) return "value";
  return p.may_be_null ? "optional_pointer" : "pointer";
}

}  // namespace

std::string emit_runtime_contract_table(const Registry& r) {
  std::string out = kBanner;
  out += R"(// What the runtimes export, as their headers declare it.
#include "runtime_contract.hpp"

namespace nvmlkit::cuda_test::runtime {
namespace {

using Kind = Argument::Kind;
constexpr Argument value{Kind::value}, pointer{Kind::pointer}, optional_pointer{Kind::optional_pointer},
    callback{Kind::callback};
constexpr Argument words(std::size_t count) { return {Kind::structure, count}; }
constexpr Argument handle(const char* type) { return {Kind::handle, 1, type}; }

}  // namespace

const std::vector<Contract>& contracts() {
  static const std::vector<Contract> all{
)";
  for (const auto& f : r.runtime) {
    std::vector<std::string> versions, arguments;
    for (const auto& version : f.versions) versions.push_back(version.substr(0, version.find('.')));
    for (const auto& p : f.params) arguments.push_back(argument(p));
    out += fmt::format("      {{\"{}\", {{{}}}, {{{}}}}},\n", f.name, fmt::join(versions, ", "),
                       fmt::join(arguments, ", "));
  }
  return out + R"(  };
  return all;
}

}  // namespace nvmlkit::cuda_test::runtime
)";
}

}  // namespace nvmlgen::cuda
