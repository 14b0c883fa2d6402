// nvmlgen: registry in, generated code out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "import/commands.hpp"
#include "import/public_headers.hpp"
#include "outputs.hpp"
#include "registry/error.hpp"
#include "stats.hpp"

namespace {

std::vector<nvmlgen::Output> outputs_of(const std::filesystem::path& root) {
  return nvmlgen::all_outputs(nvmlgen::load_registry(root / "registry"),
                              nvmlgen::read_public_headers(root / "include" / "nvmlkit"));
}

int generate(const std::filesystem::path& root) {
  const auto written = nvmlgen::write_outputs(root, outputs_of(root));
  for (const auto& path : written) fmt::print("wrote {}\n", path.string());
  if (written.empty()) fmt::print("everything is up to date\n");
  return 0;
}

int verify(const std::filesystem::path& root) {
  const auto outputs = outputs_of(root);
  const auto stale = nvmlgen::stale_outputs(root, outputs);
  for (const auto& path : stale) fmt::print(stderr, "stale: {}\n", path.string());
  if (!stale.empty()) {
    fmt::print(stderr, "{} generated files do not match the registry; run `nvmlgen generate`\n", stale.size());
    return 1;
  }
  fmt::print("{} generated files match the registry\n", outputs.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Makes both halves of nvmlkit from the registry."};
  app.require_subcommand(1);
  std::filesystem::path root = ".";
  app.add_option("--root", root, "Root of the project")->check(CLI::ExistingDirectory);
  auto* generate_command = app.add_subcommand("generate", "Write every generated file");
  auto* verify_command = app.add_subcommand("verify", "Fail when a generated file is stale");
  auto* stats_command = app.add_subcommand("stats", "Count what is generated, simulated, unsupported and missing");
  nvmlgen::add_import_commands(app);
  try {
    app.parse(argc, argv);
    if (*generate_command) return generate(root);
    if (*verify_command) return verify(root);
    if (*stats_command) fmt::print("{}", nvmlgen::stats_text(nvmlgen::load_registry(root / "registry")));
    return 0;
  } catch (const CLI::ParseError& e) {
    return nvmlgen::cli_exit_code(app, e);
  } catch (const nvmlgen::RegistryError& e) {
    fmt::print(stderr, "nvmlgen: {}\n", e.what());
    return 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "nvmlgen: {}\n", e.what());
    return 1;
  }
}
