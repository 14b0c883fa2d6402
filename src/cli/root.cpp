#include "cli/root.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "cli/cdi_file.hpp"
#include "cli/command_error.hpp"
#include "cli/launch.hpp"
#include "cli/machine_settings.hpp"
#include "cli/marked_library.hpp"
#include "cli/root_files.hpp"
#include "cli/root_state.hpp"
#include "cli/selector.hpp"
#include "node/folder.hpp"
#include "node/keeper.hpp"
#include "root/cdi.hpp"
#include "root/devices.hpp"
#include "root/fabric.hpp"
#include "root/files.hpp"
#include "root/imex.hpp"
#include "root/ld_cache.hpp"
#include "root/needed.hpp"
#include "root/processor.hpp"
#include "root/tree.hpp"
#include "sim/config/load.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/amounts.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

constexpr auto kLibraries = root::kLibraryFolder;
// Where the driver of Windows puts its files for the Linux beside it.
constexpr std::string_view kWsl = "usr/lib/wsl/lib";
// Says that a folder was made by this command.
constexpr const char* kMark = ".nvmlkit-root";
const std::set<std::string> kParts{"bin",  "dev", "dev-nodes", "etc", "lib", "lib64", "nvidia-cdi.json",
                                   "proc", "run", "sbin",      "sys", "usr", "var"};
constexpr const char* kStateInContainer = "/run/nvmlkit/state";
constexpr const char* kHookInRoot = "usr/bin/nvmlkit-cdi-hook";
constexpr const char* kSpecification = "etc/cdi/nvidia.yaml";

// Runtimes make empty folders where the source of a mount is missing, for instance while this root is made anew.
bool has_no_file(const fs::directory_entry& entry) {
  const auto is_folder = [](const fs::directory_entry& each) { return fs::is_directory(each.symlink_status()); };
  const fs::recursive_directory_iterator end;
  return is_folder(entry) && std::all_of(fs::recursive_directory_iterator(entry), end, is_folder);
}

void check_folder(const fs::path& folder) {
  if (!fs::exists(fs::symlink_status(folder))) return;
  if (!fs::is_directory(folder))
    throw CommandError(sim::unusable_file(folder.string(), "is no folder and stays as it is"));
  const auto may_go = [](const fs::directory_entry& entry) {
    return entry.path().filename() == node::kStaging || has_no_file(entry);
  };
  const fs::directory_iterator first(folder), end;
  if (fs::exists(folder / kMark) || std::all_of(first, end, may_go)) return;
  throw CommandError({.kind = sim::ProblemKind::unusable_file,
                      .what = "holds something that nvmlkit did not make and stays as it is",
                      .hint = "name a new or an empty folder",
                      .place = {.file = folder.string()}});
}

// The state file of the machine that is up. --driver asks for a machine of its own, as -m does: what is up has its
// driver.
std::optional<fs::path> find_state(const MachineOptions& options) {
  const auto up = options.state();
  if (!up || !options.choice().driver.empty()) return std::nullopt;
  return fs::absolute(*up).lexically_normal();
}

// What a machine of the root's own is made from.
MachineSettings take_settings(const MachineOptions& options) {
  export_choice(options.choice());
  unsetenv("NVMLKIT_STATE");
  return MachineSettings::of(sim::Environment::process());
}

// Puts a library where drivers have it, and lists what containers get of it.
void add_library(root::Tree& tree, const fs::path& folder, const fs::path& library, const std::string& name,
                 const std::string& version, std::vector<root::Mount>& mounts, const std::string& major = "1") {
  const auto in_root = fmt::format("{}/{}", kLibraries, name);
  const auto file = fmt::format("{}.{}", in_root, version), loaded = fmt::format("{}.{}", in_root, major);
  tree[file] = marked_copy(library);
  tree[loaded] = root::link_between(loaded, file);
  tree[in_root] = root::link_between(in_root, loaded);
  // No hook runs ldconfig: they lie where the loader looks without its cache, on systems of either custom.
  for (const std::string_view where : {kLibraries, std::string_view("usr/lib64")})
    for (const auto& suffix : {major, version})
      mounts.push_back({folder / file, fmt::format("/{}/{}.{}", where, name, suffix)});
}

void add_wsl_link(root::Tree& tree, const std::string& name) {
  const auto link = fmt::format("{}/{}.1", kWsl, name), file = fmt::format("{}/{}.1", kLibraries, name);
  tree[link] = root::link_between(link, file);
}

// What does not change with the machine's GPUs, and what containers get of it.
root::Tree make_fixed_part(const fs::path& folder, const sim::Machine& machine, const RootFiles& files,
                           bool with_system, bool with_hook, std::vector<root::Mount>& mounts) {
  root::Tree tree;
  const std::string version(machine.system().driver_version ? machine.system().driver_version->view() : "0");
  add_library(tree, folder, files.nvml, "libnvidia-ml.so", version, mounts);
  add_wsl_link(tree, "libnvidia-ml.so");
  if (files.cuda) {
    add_library(tree, folder, *files.cuda, "libcuda.so", version, mounts);
    add_wsl_link(tree, "libcuda.so");
  }
  if (files.nscq && !root::visible_switches(machine).empty())
    add_library(tree, folder, *files.nscq, "libnvidia-nscq.so", version, mounts, "2");
  if (files.nvidia_smi) {
    tree[kSmiInRoot] = root::Copy{*files.nvidia_smi};
    const auto of_wsl = fmt::format("{}/nvidia-smi", kWsl);
    tree[of_wsl] = root::link_between(of_wsl, kSmiInRoot);
    mounts.push_back({folder / kSmiInRoot, fmt::format("/{}", kSmiInRoot)});
  }
  std::vector programs{files.mps_control, files.mps_server};
  if (root::shares_memory(machine)) programs.insert(programs.end(), {files.imex, files.imex_control});
  for (const auto& program : programs) {
    if (!program) continue;
    const auto in_root = fmt::format("usr/bin/{}", program->filename().string());
    tree[in_root] = root::Copy{*program};
    mounts.push_back({folder / in_root, fmt::format("/{}", in_root)});
  }
  if (files.hook && with_hook) tree[kHookInRoot] = root::Copy{*files.hook};
  root::add_folders(tree);
  if (with_system) {
    std::vector<fs::path> needing{files.nvml};
    for (const auto& file : {files.cuda, files.nvidia_smi})
      if (file) needing.push_back(*file);
    root::add_needed(tree, needing);
    root::add_ld_cache(tree);
  }
  return tree;
}

root::Tree make_moving_part(const sim::Machine& machine, const root::CdiInput& cdi) {
  const auto gpus = root::devices_of(machine);
  root::Tree tree;
  root::add_files(tree, machine, gpus);
  const auto specification = root::cdi_specification(cdi, gpus);
  tree[kSpecification] = root::Text{kSpecificationMark + root::as_yaml(specification), 0644};
  tree["nvidia-cdi.json"] = root::Text{specification.dump(2) + "\n", 0644};
  return tree;
}

root::CdiInput cdi_input(const fs::path& folder, const fs::path& state, const RootOptions& options,
                         std::vector<root::Mount> mounts) {
  mounts.push_back({state, kStateInContainer, true});
  // The last keeps NVIDIA's own hook from doing the same once more.
  root::CdiInput out{
      options.cdi_version,
      options.cdi_kind,
      folder,
      std::move(mounts),
      {fmt::format("NVMLKIT_STATE={}", kStateInContainer), "NVMLKIT_DEVICE_NODES=/dev", "NVIDIA_VISIBLE_DEVICES=void"}};
  if (options.cdi_hook)
    out.hook = root::CdiHook{folder / kHookInRoot, state, options.container_memory, options.container_load};
  return out;
}

// Before a container does.
void check_share(const RootOptions& options) {
  const auto check = [](const char* name, const std::string& value, bool good, const char* expected) {
    if (!value.empty() && !good) throw CommandError(of_argument(name, sim::wrong_value(expected, sim::quote(value))));
  };
  check("--container-memory", options.container_memory, sim::text::bytes_of(options.container_memory).has_value(),
        "bytes, or a number with KiB, MiB or GiB");
  check("--container-load", options.container_load, sim::text::percent_of(options.container_load).has_value(),
        "a whole percentage from 0% to 100%");
}

fs::path check(const RootOptions& options) {
  auto folder = fs::absolute(options.folder).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  check_folder(folder);
  options.permissions.permissions();
  check_share(options);
  return folder;
}

}  // namespace

struct DriverRoot::Parts {
  explicit Parts(const RootOptions& chosen)
      : options(chosen), path(check(chosen)), cdi_file(chosen.cdi_kind, chosen.cdi_folder) {}

  RootOptions options;
  fs::path path;
  CdiFile cdi_file;
  bool keep = false;
  std::string difference;  // for which the machine that is there is not kept
  MachineSettings settings;
  std::optional<RootState> state;
  root::CdiInput cdi;
  bool has_smi = false;
  std::optional<node::Folder> folder;
  std::optional<node::Keeper> keeper;
};

DriverRoot::DriverRoot(const RootOptions& options, OwnMachine own) : parts_(std::make_unique<Parts>(options)) {
  auto& p = *parts_;
  const auto up = find_state(options.machine);
  p.state.emplace(p.path, up);
  if (!up) p.settings = take_settings(options.machine);
  p.keep = own != OwnMachine::replaced && p.state->has_own();
  if (p.keep && own == OwnMachine::kept_if_same && p.settings.given())
    p.difference = p.state->difference_to(p.settings);
  p.keep = p.keep && p.difference.empty();
  machine_ =
      p.keep || up ? attach(p.state->mounted().string()) : value_of(sim::load_machine(sim::Environment::process()));
  const auto files = find_root_files(options, p.path);
  p.has_smi = files.nvidia_smi.has_value();
  std::vector<root::Mount> mounts;
  auto fixed = make_fixed_part(p.path, *machine_, files, options.chroot, options.cdi_hook, mounts);
  p.cdi = cdi_input(p.path, p.state->mounted(), options, std::move(mounts));

  p.folder.emplace(p.path);
  if (!p.folder->is_mine())
    throw CommandError({.kind = sim::ProblemKind::busy,
                        .what = "another `nvmlkit node` or `nvmlkit root` works in this folder",
                        .hint = "end it, or name another folder",
                        .place = {.file = p.path.string()}});
  p.folder->put(kMark, root::Text{"Made by nvmlkit root, which replaces it.\n"});
  const std::set<std::string> others{fs::path(kStateInRoot).parent_path(), fs::path(kSocketInRoot).parent_path(),
                                     "root", "tmp", "var/tmp"};
  p.keeper.emplace(*p.folder, std::move(fixed), kParts, others);
}

DriverRoot::~DriverRoot() = default;

const fs::path& DriverRoot::path() const { return parts_->path; }

fs::path DriverRoot::state() const { return parts_->state->mounted(); }

fs::path DriverRoot::state_folder() const { return (parts_->path / kStateInRoot).parent_path(); }

void DriverRoot::put_state() {
  const auto& p = *parts_;
  if (!p.difference.empty())
    fmt::print(stderr, "nvmlkit: {}: its machine was made from {}; a new one takes its place\n", p.path.string(),
               p.difference);
  p.state->put(*p.folder, p.options.machine.choice().machine, p.settings, p.options.permissions, p.keep);
}

std::vector<fs::filesystem_error> DriverRoot::update(const sim::Machine& machine) {
  auto& p = *parts_;
  const auto wanted = make_moving_part(machine, p.cdi);
  return p.keeper->keep(wanted, [&] { p.cdi_file.write(std::get<root::Text>(wanted.at(kSpecification)).text); });
}

void DriverRoot::distrust() { parts_->keeper->distrust(); }

void DriverRoot::remove() {
  auto& p = *parts_;
  p.cdi_file.remove();
  p.keeper->remove();
  p.state->remove();
  p.folder->erase(kMark);
  p.folder.reset();  // with the place where files are made
  std::error_code error;
  fs::remove(p.path, error);  // unless somebody else has a file in it
}

void DriverRoot::print(const sim::Machine& machine) const {
  const auto& p = *parts_;
  fmt::print("{}: {}, CDI specification {}\n", p.path.string(), list_models(machine),
             p.cdi_file.path().value_or(p.path / kSpecification).string());
  if (!p.has_smi) fmt::print(stderr, "nvmlkit: no nvidia-smi in PATH: the root has none (--nvidia-smi)\n");
}

void lay_out_root(const RootOptions& options) try {
  DriverRoot root(options, OwnMachine::replaced);
  root.put_state();
  const auto copy = snapshot(root.machine());
  if (const auto problems = root.update(*copy); !problems.empty()) throw problems.front();
  root.print(*copy);
} catch (const fs::filesystem_error& error) {
  throw CommandError(sim::unusable_file(error.path1().string(), error.code().message()));
}

}  // namespace nvmlkit::cli
