#include "commands.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "check.hpp"
#include "cuda.hpp"
#include "cuda_runtime.hpp"
#include "elf_symbols.hpp"
#include "header_reader.hpp"
#include "library.hpp"
#include "merge.hpp"

namespace nvmlgen {

namespace {

namespace fs = std::filesystem;
using namespace headers;

struct Options {
  std::string input, version, branch;
  std::string facts = "registry/facts";
  bool dry_run = false;
};

// A command body with failures as one line and exit code 1.
void guarded(const std::function<bool()>& body) {
  bool good = false;
  try {
    good = body();
  } catch (const std::exception& e) {
    fmt::print(stderr, "nvmlgen: {}\n", e.what());
  }
  if (!good) throw CLI::RuntimeError(1);
}

void require_version(const std::string& version) {
  if (version.empty() || version.find_first_not_of("0123456789.") != std::string::npos)
    throw Error(version.empty() ? "the header does not give a version: say it with --version"
                                : fmt::format("'{}' is not a version like 12.4.127", version));
}

// The header's own word is often only its major number. That is enough unless it hides whether the header is older
// or newer than the newest one of the registry.
void choose_version(const Options& options, const Facts& facts, Api& header) {
  if (!options.version.empty()) header.version = options.version;
  require_version(header.version);
  const std::string& newest = facts.api.version;
  if (!options.version.empty() || header.version.find('.') != std::string::npos || newest.empty()) return;
  if (newest != header.version && newest.starts_with(header.version + ".")) {
    if (compare(facts.api, header).empty()) {
      header.version = newest;
      return;
    }
    throw Error(
        fmt::format("{} says of itself only NVML_API_VERSION {}, and the registry has {}: say with --version which"
                    " header this is",
                    options.input, header.version, newest));
  }
}

bool run_import(const Options& options) {
  Facts facts = load_facts(options.facts);
  Api header = read_header(options.input);
  choose_version(options, facts, header);
  Drift drift = merge(facts, std::move(header));
  const fs::path semantics = fs::absolute(options.facts).lexically_normal().parent_path() / "semantics";
  drift.missing_semantics = missing_semantics(facts.api, semantics);
  fmt::print("{}", to_text(drift));
  if (!options.dry_run) save_facts(facts, options.facts);
  return true;
}

void print_names(const std::string& title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  fmt::print("{} ({}):\n", title, names.size());
  for (const std::string& name : names) fmt::print("  {}\n", name);
}

std::vector<std::string> minus(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

bool run_import_driver(const Options& options) {
  Driver driver;
  driver.version = options.version.empty() ? library_version(options.input) : options.version;
  if (driver.version.empty())
    throw Error(fmt::format("{}: the file name gives no driver version: say it with --version", options.input));
  require_version(driver.version);
  const std::string own = driver.version.substr(0, driver.version.find('.'));
  const std::string branch = options.branch.empty() ? own : options.branch;
  if (branch != own)
    throw Error(fmt::format("{}: version {} is not of branch {}", options.input, driver.version, branch));
  driver.symbols = exported_symbols(options.input, "nvml");
  if (driver.symbols.empty()) throw Error(fmt::format("{}: exports no nvml symbol", options.input));

  Facts facts = load_facts(options.facts);
  const Driver before = facts.drivers[branch];
  std::vector<std::string> undeclared;
  for (const std::string& symbol : driver.symbols)
    if (!find(facts.api.functions, symbol)) undeclared.push_back(symbol);
  std::size_t declared = driver.symbols.size() - undeclared.size();

  fmt::print("driver {} {}: {} nvml symbols, {} of the {} functions of header {}\n", branch, driver.version,
             driver.symbols.size(), declared, facts.api.functions.size(),
             facts.api.version.empty() ? "(none)" : facts.api.version);
  if (before.version.empty()) {
    fmt::print("branch {} is new\n", branch);
  } else {
    if (before.version != driver.version) fmt::print("version {} -> {}\n", before.version, driver.version);
    print_names("new symbols", minus(driver.symbols, before.symbols));
    print_names("symbols gone", minus(before.symbols, driver.symbols));
  }
  print_names("exported, but not in the newest header", undeclared);
  facts.drivers[branch] = std::move(driver);
  join_drivers(facts);
  if (!options.dry_run) save_driver_facts(facts, options.facts);
  return true;
}

bool run_check(const Options& options) {
  const Facts facts = load_facts(options.facts);
  if (facts.api.functions.empty()) throw Error(fmt::format("{}: no facts to check against", options.facts));
  Api header = read_header(options.input);
  if (!options.version.empty()) header.version = options.version;
  require_version(header.version);
  const CheckResult result = check(facts, header);
  for (const std::string& line : result.lines) fmt::print("{}\n", line);
  fmt::print(
      "header {} against registry {}: {} contradictions, {} known differences, {} names only in the header, {} only"
      " in the registry\n",
      header.version, facts.api.version, result.contradictions, result.known, result.unknown, result.absent);
  return result.contradictions == 0;
}

CLI::App* add(CLI::App& app, const std::string& name, const std::string& text, const std::string& input,
              const std::shared_ptr<Options>& options) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option(input, options->input)->required();
  command->add_option("--facts", options->facts, "Folder of the facts")->capture_default_str();
  return command;
}

void add_library_command(CLI::App& app) {
  auto library = std::make_shared<LibraryImport>();
  library->registry = "registry/libraries";
  CLI::App* command = app.add_subcommand(
      "import-library", "Record what the headers of a CUDA library declare, and what the library beside them exports");
  command->add_option("NAME", library->name, "Of its file in the registry, without .yaml")->required();
  command->add_option("INCLUDE", library->include, "Folder of the headers; without it, only exports are read");
  command->add_option("--library", library->library, "Library whose exports are read");
  command->add_option("--version", library->version, "Version of CUDA; default: what the headers give");
  command->add_option("--registry", library->registry, "Folder of the libraries")->capture_default_str();
  command->callback([library] {
    guarded([&] {
      fmt::print("{}", import_library(*library));
      return true;
    });
  });
}

}  // namespace

void add_import_commands(CLI::App& app) {
  auto import = std::make_shared<Options>();
  CLI::App* command = add(app, "import", "Merge an nvml.h into the facts and print the drift", "HEADER", import);
  command->add_option("--version", import->version, "Version of the header; default: what the header says of itself");
  command->add_flag("--dry-run", import->dry_run, "Print the drift, write nothing");
  command->callback([import] { guarded([&] { return run_import(*import); }); });

  auto driver = std::make_shared<Options>();
  command = add(app, "import-driver", "Record what a driver's library exports", "LIBRARY", driver);
  command->add_option("--branch", driver->branch, "Driver branch, 535 for example; default: from the version");
  command->add_option("--version", driver->version, "Version of the driver; default: from the file name");
  command->add_flag("--dry-run", driver->dry_run, "Print what is new, write nothing");
  command->callback([driver] { guarded([&] { return run_import_driver(*driver); }); });

  auto cuda = std::make_shared<Options>();
  cuda->facts = "registry/cuda/facts";
  command =
      add(app, "import-cuda", "Write the facts of the CUDA driver API from a JSON description of cuda.h", "FILE", cuda);
  command->callback([cuda] {
    guarded([&] {
      fmt::print("{}", import_cuda(cuda->input, cuda->facts));
      return true;
    });
  });

  auto runtime = std::make_shared<Options>();
  runtime->facts = "registry/cuda/facts";
  command =
      add(app, "import-cudart", "Record what a version of the CUDA runtime declares, from the folder of its headers",
          "INCLUDE", runtime);
  command->callback([runtime] {
    guarded([&] {
      fmt::print("{}", import_cuda_runtime(runtime->input, runtime->facts));
      return true;
    });
  });

  add_library_command(app);

  auto compared = std::make_shared<Options>();
  command = add(app, "check", "Compare an nvml.h with the facts; exit code 1 when they contradict", "HEADER", compared);
  command->add_option("--version", compared->version, "Version of the header; default: what the header says of itself");
  command->callback([compared] { guarded([&] { return run_check(*compared); }); });
}

int cli_exit_code(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::RuntimeError*>(&error)) return error.get_exit_code();
  return app.exit(error) == 0 ? 0 : 2;
}

}  // namespace nvmlgen
