// The dispatch table: include/nvmlkit/generated/table.hpp and src/bindings/generated/table_symbols.cpp.
#include <sstream>

#include "emit/bindings/emitters.hpp"
#include "emit/bindings/text.hpp"

namespace nvmlgen {

std::string emit_table(const Facts& facts, const Semantics& semantics) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\n#include <nvmlkit/generated/abi.hpp>\n\nnamespace nvmlkit::nvml {\n\n"
      << "// One pointer per symbol that a driver exports or a header declares; null where the library lacks it.\n"
      << "// Members have no `nvml` prefix, because nvml.h maps names such as nvmlInit with macros.\n"
      << "// It holds function pointers and nothing else: member n is described by symbols()[n].\n"
      << "struct Table {\n";
  for (const auto& f : facts.functions) {
    const auto signature = signature_of(facts, f);
    const auto entry = semantics.functions.find(f.name);
    if (entry != semantics.functions.end() && !entry->second.provisional.empty())
      out << "  // Provisional: " << entry->second.provisional << '\n';
    if (signature.ret.empty())
      out << "  void (*" << f.stem() << ")() = nullptr;  // signature not public\n";
    else
      out << "  " << signature.ret << " (*" << f.stem() << ")(" << signature.params << ") = nullptr;\n";
  }
  out << "};\n\ninline constexpr unsigned int kSymbolCount = " << facts.functions.size()
      << ";\nstatic_assert(sizeof(Table) == kSymbolCount * sizeof(void (*)()));\n\n}  // namespace nvmlkit::nvml\n";
  return out.str();
}

std::string emit_table_symbols(const Facts& facts) {
  std::ostringstream out;
  out << kBanner << "#include <cstddef>\n\n#include <nvmlkit/table.hpp>\n\nnamespace nvmlkit::nvml {\nnamespace {\n\n"
      << "// name, first header that declares it, offset in Table, deprecated, driver branches that export it\n"
      << "constexpr Symbol kSymbols[] = {\n";
  for (const auto& f : facts.functions) {
    std::string branches;
    for (const auto& b : f.exported_by) branches += (branches.empty() ? "" : " ") + b;
    out << "    {" << quoted(f.name) << ", " << quoted(f.first_seen) << ", offsetof(Table, " << f.stem() << "), "
        << (f.deprecated ? "true" : "false") << ", " << quoted(branches) << "},\n";
  }
  out << "};\nstatic_assert(sizeof(kSymbols) / sizeof(kSymbols[0]) == kSymbolCount);\n\n}  // namespace\n\n"
      << "std::span<const Symbol> symbols() noexcept { return kSymbols; }\n\n}  // namespace nvmlkit::nvml\n";
  return out.str();
}

std::string emit_errc(const Facts& facts) {
  std::ostringstream out;
  out << kBanner << "#pragma once\n\nnamespace nvmlkit::nvml {\n\n"
      << "// Every nvmlReturn_t under its own number, and what only the bindings can say. Numbers of newer drivers "
         "that have\n"
      << "// no name here round-trip.\n"
      << "enum class Errc : int {\n";
  if (const Enum* codes = facts.enumeration("nvmlReturn_t"))
    for (const auto& [name, value] : codes->values)
      out << "  " << lower_without(name == "NVML_SUCCESS" ? "NVML_" : "NVML_ERROR_", name) << " = " << value << ",  // "
          << name << '\n';
  out << "  // Of the bindings.\n"
      << "  forked = 10001,            // the library was opened before a fork; open it again in the child\n"
      << "  library_closed = 10002,    // the library that the object came from was closed\n"
      << "  unstable_answer = 10003,   // a list kept growing while it was read\n"
      << "  malformed_answer = 10004,  // the driver's answer breaks its own protocol\n"
      << "  stale_handle = 10005,      // what the object stood for was removed or destroyed\n"
      << "};\n\n}  // namespace nvmlkit::nvml\n";
  return out.str();
}

}  // namespace nvmlgen
