// Runs when the project is built, as pack_machines OUTPUT.cpp: writes the built-in machines as packed.hpp has them. A
// wrong machine in profiles/ fails the build.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>

#include "sim/config/build.hpp"
#include "sim/config/builtin.hpp"
#include "sim/config/packed.hpp"
#include "sim/problem/text.hpp"

namespace nvmlkit::sim::config {

// There is none before this program has run.
std::span<const PackedMachine> list_packed_machines() { return {}; }

namespace {

constexpr std::size_t kBytesPerLine = 64;

void write_bytes(std::ostream& out, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % kBytesPerLine == 0) out << (i != 0 ? "\"\n     \"" : "\n     \"");
    char octal[5];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
    out << octal;
  }
  out << "\"";
}

bool write_machine(std::ostream& out, const BuiltinMachine& builtin) {
  const auto layers = Layers::of("profiles/" + std::string(builtin.name) + ".yaml", builtin.text);
  const auto machine = layers ? build(*layers, {}) : fail(layers.error());
  if (!machine) {
    std::fprintf(stderr, "%s\n", text_of(machine.error()).c_str());
    return false;
  }
  const auto bytes = pack(**machine);
  out << "    {\"" << builtin.name << "\", " << (*machine)->gpus().size() << ", {";
  write_bytes(out, bytes);
  out << ",\n     " << bytes.size() << "}},\n";
  return true;
}

bool write_all(const char* path) {
  std::ofstream out(path);
  out << "// Made by pack_machines.cpp.\n#include \"sim/config/packed.hpp\"\n\n"
         "namespace nvmlkit::sim::config {\nnamespace {\n\nconstexpr PackedMachine packed[] = {\n";
  for (const auto& builtin : list_builtin_machines())
    if (!write_machine(out, builtin)) return false;
  out << "};\n\n}  // namespace\n\n"
         "std::span<const PackedMachine> list_packed_machines() { return packed; }\n\n"
         "}  // namespace nvmlkit::sim::config\n";
  out.close();
  if (!out) std::fprintf(stderr, "%s cannot be written\n", path);
  return !out.fail();
}

}  // namespace
}  // namespace nvmlkit::sim::config

int main(int argc, char** argv) try {
  if (argc == 2) return nvmlkit::sim::config::write_all(argv[1]) ? 0 : 1;
  std::fprintf(stderr, "usage: pack_machines OUTPUT.cpp\n");
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "pack_machines: %s\n", error.what());
  return 1;
}
