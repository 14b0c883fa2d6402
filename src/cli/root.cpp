#include "cli/root.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/cdi_file.hpp"
#include "cli/command_error.hpp"
#include "cli/launch.hpp"
#include "cli/marked_library.hpp"
#include "cli/root_state.hpp"
#include "cli/selector.hpp"
#include "root/cdi.hpp"
#include "root/devices.hpp"
#include "root/pci.hpp"
#include "root/proc.hpp"
#include "root/tree.hpp"
#include "sim/config/load.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

#ifdef __aarch64__
constexpr std::string_view kLibraries = "usr/lib/aarch64-linux-gnu";
#else
constexpr std::string_view kLibraries = "usr/lib/x86_64-linux-gnu";
#endif
// Where the driver of Windows puts its files for the Linux beside it.
constexpr std::string_view kWsl = "usr/lib/wsl/lib";
// Says that a folder was made by this command.
constexpr const char* kMark = ".nvmlkit-root";
constexpr const char* kParts[] = {"dev", "dev-nodes", "etc", "nvidia-cdi.json", "proc", "sys", "usr", "var", kMark};
constexpr const char* kStateInContainer = "/run/nvmlkit/state";
constexpr const char* kSpecification = "etc/cdi/nvidia.yaml";

void check_folder(const fs::path& folder) {
  if (!fs::exists(fs::symlink_status(folder))) return;
  if (!fs::is_directory(folder))
    throw CommandError(sim::unusable_file(folder.string(), "is no folder and stays as it is"));
  if (fs::exists(folder / kMark) || fs::is_empty(folder)) return;
  throw CommandError({.kind = sim::ProblemKind::unusable_file,
                      .what = "holds something that nvmlkit did not make and stays as it is",
                      .hint = "name a new or an empty folder",
                      .place = {.file = folder.string()}});
}

// The machine, and the state file that is there already.
struct Found {
  std::unique_ptr<sim::Machine> machine;
  std::optional<fs::path> state;
};

// --driver asks for a machine of its own, as -m does: what is up has its driver.
Found find_machine(const MachineOptions& options) {
  if (const auto up = options.state(); up && options.choice().driver.empty())
    return {attach(*up), fs::absolute(*up).lexically_normal()};
  export_choice(options.choice());
  unsetenv("NVMLKIT_STATE");
  auto machine = value_of(sim::load_machine(sim::Environment::process()));
  return {std::move(machine), std::nullopt};
}

std::optional<fs::path> find_nvidia_smi(const std::string& named) {
  std::error_code error;
  if (!named.empty()) {
    auto path = fs::canonical(named, error);
    if (error || !fs::is_regular_file(path)) throw CommandError(sim::unusable_file(named, "is no nvidia-smi"));
    return path;
  }
  const char* const search = std::getenv("PATH");
  std::string_view rest = search ? search : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto path = fs::canonical(fs::path(rest.substr(0, end)) / "nvidia-smi", error);
    if (!error && access(path.c_str(), X_OK) == 0) return path;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

// Puts a library where drivers have it, and lists what containers get of it.
void add_library(root::Tree& tree, const fs::path& folder, const fs::path& library, const std::string& name,
                 const std::string& version, std::vector<root::Mount>& mounts) {
  const auto in_root = fmt::format("{}/{}", kLibraries, name);
  const auto file = fmt::format("{}.{}", in_root, version);
  tree[file] = root::Text{read_marked(library), 0644};
  tree[in_root + ".1"] = root::link_between(in_root + ".1", file);
  tree[in_root] = root::link_between(in_root, in_root + ".1");
  const auto of_wsl = fmt::format("{}/{}.1", kWsl, name);
  tree[of_wsl] = root::link_between(of_wsl, file);
  // No hook runs ldconfig: they lie where the loader looks without its cache, on systems of either custom.
  for (const std::string_view where : {kLibraries, std::string_view("usr/lib64")})
    for (const auto& suffix : {std::string("1"), version})
      mounts.push_back({folder / file, fmt::format("/{}/{}.{}", where, name, suffix)});
}

struct Files {
  fs::path nvml;
  std::optional<fs::path> cuda, nvidia_smi;
};

// The CUDA library lies beside the NVML of this project, or above the one of a branch.
Files find_files(const RootOptions& options) {
  const auto driver = own_driver();
  Files files{fs::canonical(driver / "libnvidia-ml.so.1"), {}, {}};
  for (const auto& place : {driver, driver.parent_path().parent_path()})
    if (std::error_code error; !files.cuda && fs::exists(place / "libcuda.so.1", error))
      files.cuda = fs::canonical(place / "libcuda.so.1");
  files.nvidia_smi = find_nvidia_smi(options.nvidia_smi);
  return files;
}

root::Tree make_tree(const fs::path& folder, const sim::Machine& machine, const Files& files, const fs::path& state,
                     const RootOptions& options) {
  const auto gpus = root::devices_of(machine);
  root::Tree tree;
  root::CdiInput cdi{options.cdi_version, options.cdi_kind, folder, {}, {}};
  const std::string version(machine.system().driver_version ? machine.system().driver_version->view() : "0");
  add_library(tree, folder, files.nvml, "libnvidia-ml.so", version, cdi.mounts);
  if (files.cuda) add_library(tree, folder, *files.cuda, "libcuda.so", version, cdi.mounts);
  if (files.nvidia_smi) {
    tree["usr/bin/nvidia-smi"] = root::Copy{*files.nvidia_smi};
    const auto of_wsl = fmt::format("{}/nvidia-smi", kWsl);
    tree[of_wsl] = root::link_between(of_wsl, "usr/bin/nvidia-smi");
    cdi.mounts.push_back({folder / "usr/bin/nvidia-smi", "/usr/bin/nvidia-smi"});
  }
  tree["var/run"] = root::link_between("var/run", "run");  // where older generators look for sockets
  root::add_nodes(tree, gpus);
  root::add_proc(tree, machine, gpus);
  root::add_sys(tree, machine);
  cdi.mounts.push_back({state, kStateInContainer, true});
  // The last keeps NVIDIA's own hook from doing the same once more.
  cdi.variables = {fmt::format("NVMLKIT_STATE={}", kStateInContainer), "NVMLKIT_DEVICE_NODES=/dev",
                   "NVIDIA_VISIBLE_DEVICES=void"};
  const auto specification = root::cdi_specification(cdi, gpus);
  tree[kSpecification] = root::Text{kSpecificationMark + root::as_yaml(specification), 0644};
  tree["nvidia-cdi.json"] = root::Text{specification.dump(2) + "\n", 0644};
  return tree;
}

}  // namespace

void lay_out_root(const RootOptions& options) try {
  const auto folder = fs::absolute(options.folder).lexically_normal();
  check_folder(folder);
  options.permissions.permissions();  // before anything is written
  const CdiFile cdi_file(options.cdi_kind, options.cdi_folder);
  const auto found = find_machine(options.machine);
  const auto files = find_files(options);
  const RootState state(folder, found.state);
  const auto tree = make_tree(folder, *found.machine, files, state.mounted(), options);

  fs::create_directories(folder);
  state.clear();
  for (const char* part : kParts) fs::remove_all(folder / part);
  root::write({{kMark, root::Text{"Made by nvmlkit root, which replaces it.\n"}}}, folder);
  root::write(tree, folder);
  state.put(options.machine.choice().machine, options.permissions);
  const auto specification = folder / kSpecification;
  cdi_file.write(specification);
  fmt::print("{}: {}, CDI specification {}\n", folder.string(), list_models(*found.machine),
             cdi_file.path().value_or(specification).string());
  if (!files.nvidia_smi) fmt::print(stderr, "nvmlkit: no nvidia-smi in PATH: the root has none (--nvidia-smi)\n");
} catch (const fs::filesystem_error& error) {
  throw CommandError(sim::unusable_file(error.path1().string(), error.code().message()));
}

}  // namespace nvmlkit::cli
