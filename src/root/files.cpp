#include "root/files.hpp"

#include <string>

#include "root/caps.hpp"
#include "root/dmi.hpp"
#include "root/driver_state.hpp"
#include "root/fabric.hpp"
#include "root/firmware.hpp"
#include "root/infiniband.hpp"
#include "root/modules.hpp"
#include "root/pci.hpp"
#include "root/proc.hpp"

namespace nvmlkit::root {

void add_files(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus) {
  add_nodes(tree, machine, gpus);
  if (is_driver_loaded(machine)) {
    add_proc(tree, machine, gpus);
    add_capabilities(tree, machine, gpus);
  }
  tree["proc/devices"] = Text{device_numbers(machine)};
  add_modules(tree, machine);
  add_pci(tree, machine);
  add_infiniband(tree, machine);
  add_dmi(tree, machine);
  add_fabric(tree, machine);
  add_firmware(tree, machine);
}

void add_folders(Tree& tree) {
  for (const auto* name : {"bin", "lib", "lib64", "sbin"}) {
    tree[std::string("usr/") + name] = Directory{};
    tree[name] = Link{std::string("usr/") + name};
  }
  for (const auto* name : {"root", "run", "var/log"}) tree[name] = Directory{};
  for (const auto* name : {"tmp", "var/tmp"}) tree[name] = Directory{01777};
  tree["var/run"] = link_between("var/run", "run");  // where older generators look for sockets
}

}  // namespace nvmlkit::root
