#include "cli/state.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/exit_status.hpp"
#include "cli/fault.hpp"
#include "cli/launch.hpp"
#include "sim/config/load.hpp"
#include "sim/processes/clients.hpp"
#include "sim/state/file.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

int fail(const std::string& message) {
  fmt::print(stderr, "nvmlkit: {}\n", message);
  return kBadInput;
}

// As a shell reads it back.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

tl::expected<std::string, std::string> usual_state() {
  return state_folder().map([](const std::string& folder) { return folder + "/machine"; });
}

// A process that uses a GPU, as people see it.
struct User {
  std::size_t gpu;
  std::uint32_t pid;
  std::string type, name;
  std::optional<std::uint64_t> memory_bytes;
  bool elsewhere;  // its number counts in another PID namespace
};

std::string type_of(std::uint32_t kinds) {
  std::string out;
  for (const auto& [kind, letter] : {std::pair{sim::processes::mps, 'M'}, std::pair{sim::processes::compute, 'C'},
                                     std::pair{sim::processes::graphics, 'G'}}) {
    if ((kinds & kind) == 0) continue;
    if (!out.empty()) out += '+';
    out += letter;
  }
  return out;
}

std::vector<User> users_of(const sim::Machine& machine) {
  std::vector<User> out;
  sim::state::consistently(machine, machine.sequence(), [&] {
    out.clear();
    for (std::size_t i = 0; i < machine.gpus().size(); ++i) {
      for (const auto& process : machine.gpus()[i].processes)
        out.push_back({i, process.pid.value_or(0), std::string(process.type ? process.type->view() : "C"),
                       std::string(process.name ? process.name->view() : ""),
                       process.used_memory_mib ? std::optional(*process.used_memory_mib << 20) : std::nullopt, false});
      sim::processes::for_each_client(machine, i, [&](const auto& client, sim::processes::Life life) {
        out.push_back({i, client.pid, type_of(client.kinds), std::string(client.name.view()), client.memory_bytes,
                       life == sim::processes::Life::elsewhere});
      });
    }
  });
  return out;
}

}  // namespace

std::optional<std::string> state_in_environment() { return sim::Environment::process().get("NVMLKIT_STATE"); }

tl::expected<std::string, std::string> state_folder() {
  const auto runtime = sim::Environment::process().get("XDG_RUNTIME_DIR");
  const bool usable = runtime && access(runtime->c_str(), W_OK | X_OK) == 0;  // containers may lack what it names
  const std::string folder = usable ? *runtime + "/nvmlkit" : fmt::format("/tmp/nvmlkit-{}", geteuid());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected(fmt::format("{}: cannot be made: {}", folder, std::strerror(errno)));
  struct stat about {};
  if (lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
      (about.st_mode & 0077) != 0)
    return tl::unexpected(fmt::format("{}: expected a folder that is this user's alone (mode 0700)", folder));
  return folder;
}

tl::expected<void, std::string> make_state(const std::string& path, const std::string& origin) {
  unsetenv("NVMLKIT_STATE");  // the machine that it says is not the one to make
  std::string error;
  const auto machine = sim::load_machine(sim::Environment::process(), error);
  if (!machine || !sim::state::save(*machine, path, origin, error)) return tl::unexpected(error);
  return {};
}

tl::expected<std::string, std::string> find_state(const std::string& path) {
  if (!path.empty()) return path;
  if (const auto named = state_in_environment()) return *named;
  return usual_state();
}

int up(const MachineChoice& choice, const std::string& given) {
  const auto found = find_state(given);
  if (!found) return fail(found.error());
  unsetenv("NVMLKIT_STATE");  // where the machine is to be, not what it is made from
  const auto path = fs::absolute(*found).lexically_normal().string();
  if (fs::exists(path) && !sim::state::is_state_file(path))
    return fail(fmt::format("{}: is no state file of nvmlkit and stays as it is", path));
  const auto driver = driver_directory();
  if (!driver) return fail("no libnvidia-ml.so.1 beside this program (../lib/nvmlkit, ../lib)");
  export_choice(choice);
  const auto named = sim::Environment::process().get("NVMLKIT_MACHINE").value_or("a100");
  if (const auto made = make_state(path, choice.machine.empty() ? named : choice.machine); !made)
    return fail(made.error());
  fmt::print("export NVMLKIT_STATE={} LD_LIBRARY_PATH={}\n", quoted(path), quoted(search_path(*driver)));
  return 0;
}

int down(const std::string& given) {
  const auto path = find_state(given);
  if (!path) return fail(path.error());
  struct stat about {};
  // What is no state file is not ours to remove.
  if (stat(path->c_str(), &about) != 0) return fail(fmt::format("{}: no machine is up", *path));
  if (!sim::state::is_state_file(*path)) return fail(fmt::format("{}: is no state file of nvmlkit", *path));
  if (unlink(path->c_str()) != 0) return fail(fmt::format("{}: cannot be removed: {}", *path, std::strerror(errno)));
  return 0;
}

int status(const std::string& given, bool as_json) {
  const auto path = find_state(given);
  if (!path) return fail(path.error());
  std::string error;
  const auto machine = sim::state::attach(*path, error);
  if (!machine) return fail(error);
  const auto& header = machine->header();
  const std::string origin(header.origin, strnlen(header.origin, sizeof header.origin));
  const auto gpus = machine->gpus();
  const std::string name = gpus.empty() || !gpus[0].name ? "" : std::string(gpus[0].name->view());
  const bool read_only = machine->access() == sim::Access::read_only;
  const auto users = users_of(*machine);
  if (as_json) {
    auto processes = nlohmann::ordered_json::array();
    for (const auto& user : users)
      processes.push_back(
          {{"gpu", user.gpu},
           {"pid", user.pid},
           {"type", user.type},
           {"name", user.name},
           {"used_memory_bytes", user.memory_bytes ? nlohmann::ordered_json(*user.memory_bytes) : nullptr},
           {"elsewhere", user.elsewhere}});
    const nlohmann::ordered_json out = {{"machine", origin},
                                        {"gpu", name},
                                        {"count", gpus.size()},
                                        {"state", *path},
                                        {"version", header.version},
                                        {"created", header.created},
                                        {"writes", header.writes.load()},
                                        {"last_writer", header.last_writer.load()},
                                        {"read_only", read_only},
                                        {"processes", processes},
                                        {"faults", faults_as_json(*machine)}};
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  fmt::print("Machine      {}\nGPUs         {}\nState        {}{}\nWrites       {}{}\n", origin, list_models(*machine),
             *path, read_only ? " (read-only)" : "", header.writes.load(),
             header.last_writer != 0 ? fmt::format(", the last by process {}", header.last_writer.load()) : "");
  for (const auto& user : users)
    fmt::print("Process      GPU {}  {}{}  {}  {}  {}\n", user.gpu, user.pid, user.elsewhere ? " (elsewhere)" : "",
               user.type, user.memory_bytes ? fmt::format("{} MiB", *user.memory_bytes >> 20) : "N/A", user.name);
  for (const auto& fault : list_faults(*machine)) fmt::print("Fault        {}\n", fault);
  return 0;
}

}  // namespace nvmlkit::cli
