// Every way to get a machine file wrong, with the message it brings.
#include <gtest/gtest.h>

#include <string>

#include "../taken.hpp"
#include "sim/config/load.hpp"

namespace nvmlkit::sim {
namespace {

struct Bad {
  const char* name;
  const char* yaml;
  const char* message;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class BadMachine : public testing::TestWithParam<Bad> {};

TEST_P(BadMachine, IsRefusedWithPlaceAndExpectation) {
  std::string error;
  EXPECT_EQ(taken(read_machine("m.yaml", GetParam().yaml), error), nullptr);
  EXPECT_EQ(error, GetParam().message);
}

const Bad keys[] = {
    {"misspelled", "device_defaults:\n  powr: {limit_mw: 1}\n",
     "m.yaml:2:3: unknown key 'powr' in device_defaults; did you mean 'power'?"},
    {"misspelled_nested", "device_defaults:\n  power:\n    limt_mw: 5\n",
     "m.yaml:3:5: unknown key 'limt_mw' in device_defaults.power; did you mean 'limit_mw'?"},
    {"misspelled_top", "sytem: {}\n", "m.yaml:1:1: unknown key 'sytem'; did you mean 'system'?"},
    {"part_of_a_key", "device_defaults: {memory: {total: 5}}\n",
     "m.yaml:1:28: unknown key 'total' in device_defaults.memory; did you mean 'total_bytes'?"},
    {"nothing_like_it", "device_defaults: {accounting: {zzzzzz: 5}}\n",
     "m.yaml:1:32: unknown key 'zzzzzz' in device_defaults.accounting; expected one of mode, buffer_size"},
    {"in_a_device", "devices:\n  - index: 0\n    nam: x\n",
     "m.yaml:3:5: unknown key 'nam' in devices[0]; did you mean 'name'?"},
    {"in_a_list", "device_defaults:\n  processes:\n    - pid: 5\n    - pid: 6\n      nme: x\n",
     "m.yaml:5:7: unknown key 'nme' in device_defaults.processes[1]; did you mean 'name'?"},
    {"index_in_defaults", "device_defaults: {index: 0}\n",
     "m.yaml:1:19: unknown key 'index' in device_defaults; it belongs to an entry of devices"},
    {"duplicate", "device_defaults:\n  name: a\n  name: b\n",
     "m.yaml:3:3: duplicate key 'name' in device_defaults; the first is at line 2"},
    {"duplicate_top", "system: {}\nsystem: {}\n", "m.yaml:2:1: duplicate key 'system'; the first is at line 1"},
    {"list_as_key", "? [a]\n: 5\n", "m.yaml:1:3: expected a key, got a list"},
    {"missing_in_item", "device_defaults: {processes: [{name: x}]}\n",
     "m.yaml:1:31: device_defaults.processes[0]: expected a key 'pid'"},
};
INSTANTIATE_TEST_SUITE_P(Keys, BadMachine, testing::ValuesIn(keys));

const Bad values[] = {
    {"text_for_number", "device_defaults:\n  power:\n    limit_mw: lots\n",
     "m.yaml:3:15: device_defaults.power.limit_mw: expected a whole number, got 'lots'"},
    {"quoted_number", "device_defaults: {power: {limit_mw: \"5\"}}\n",
     "m.yaml:1:37: device_defaults.power.limit_mw: expected a whole number, got '5'"},
    {"fraction", "device_defaults: {power: {limit_mw: 5.5}}\n",
     "m.yaml:1:37: device_defaults.power.limit_mw: expected a whole number, got '5.5'"},
    {"negative", "device_defaults: {power: {limit_mw: -5}}\n",
     "m.yaml:1:37: device_defaults.power.limit_mw: expected 0 to 4294967295, got '-5'"},
    {"too_large", "device_defaults: {power: {limit_mw: 4294967296}}\n",
     "m.yaml:1:37: device_defaults.power.limit_mw: expected 0 to 4294967295, got '4294967296'"},
    {"beyond_64_bits", "device_defaults: {memory: {total_bytes: 18446744073709551616}}\n",
     "m.yaml:1:41: device_defaults.memory.total_bytes: expected a whole number, got '18446744073709551616'"},
    {"out_of_range", "device_defaults: {utilization: {gpu: 101}}\n",
     "m.yaml:1:38: device_defaults.utilization.gpu: expected 0 to 100 %, got '101'"},
    {"far_out_of_range", "device_defaults: {utilization: {gpu: 99999999999}}\n",
     "m.yaml:1:38: device_defaults.utilization.gpu: expected 0 to 100 %, got '99999999999'"},
    {"below_range", "device_defaults: {thermal: {temperature_gpu_c: -61}}\n",
     "m.yaml:1:48: device_defaults.thermal.temperature_gpu_c: expected -60 to 200 C, got '-61'"},
    {"float_out_of_range", "device_defaults: {failure: {probability: 1.5}}\n",
     "m.yaml:1:42: device_defaults.failure.probability: expected 0 to 1, got '1.5'"},
    {"float_not_finite", "device_defaults: {failure: {probability: nan}}\n",
     "m.yaml:1:42: device_defaults.failure.probability: expected a number, got 'nan'"},
    {"bool", "device_defaults: {multi_gpu_board: 1}\n",
     "m.yaml:1:36: device_defaults.multi_gpu_board: expected true or false, got '1'"},
    {"word_near", "device_defaults: {compute_mode: exclusiv}\n",
     "m.yaml:1:33: device_defaults.compute_mode: unknown word 'exclusiv'; did you mean 'exclusive_thread'?"},
    {"word_case", "device_defaults: {persistence_mode: Enabled}\n",
     "m.yaml:1:37: device_defaults.persistence_mode: unknown word 'Enabled'; did you mean 'enabled'?"},
    {"word_far", "device_defaults: {persistence_mode: true}\n",
     "m.yaml:1:37: device_defaults.persistence_mode: unknown word 'true'; expected one of disabled, enabled"},
    {"word_list", "device_defaults: {persistence_mode: [enabled]}\n",
     "m.yaml:1:37: device_defaults.persistence_mode: expected a word, got a list; expected one of disabled, enabled"},
    {"allowed_text", "device_defaults: {processes: [{pid: 1, type: X+Y}]}\n",
     "m.yaml:1:46: device_defaults.processes[0].type: unknown word 'X+Y'; expected one of C, G, C+G, M, M+C"},
    {"too_long", "system: {cuda_version: 1234567890.12345678}\n",
     "m.yaml:1:24: system.cuda_version: expected at most 15 bytes, got 19"},
    {"control_character", "device_defaults: {name: \"a\\nb\"}\n",
     "m.yaml:1:25: device_defaults.name: expected a text without control characters, got 'a b'"},
    {"mapping_for_text", "device_defaults: {name: {a: b}}\n",
     "m.yaml:1:25: device_defaults.name: expected a text, got a mapping"},
    {"uuid", "devices: [{index: 0, uuid: GPU-123}]\n",
     "m.yaml:1:28: devices[0].uuid: expected GPU- and 32 hexadecimal digits in groups of 8-4-4-4-12, got 'GPU-123'"},
    {"bus_id", "devices: [{index: 0, pci: {bus_id: 0000:1A}}]\n",
     "m.yaml:1:36: devices[0].pci.bus_id: expected a PCI address DOMAIN:BUS:DEVICE.FUNCTION, got '0000:1A'"},
    {"scalar_for_mapping", "device_defaults: {power: 300}\n",
     "m.yaml:1:26: device_defaults.power: expected a mapping of keys to values, got '300'"},
    {"scalar_for_list", "device_defaults: {processes: 3}\n", "m.yaml:1:30: device_defaults.processes: expected a list"},
    {"list_too_long",
     "nvlink: {device_links: [{index: 0, links: ["
     "{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},"
     "{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},"
     "{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},"
     "{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0},{link: 0}]}]}\n",
     "m.yaml:1:43: nvlink.device_links[0].links: expected at most 36 items, got 37"},
    {"absent_but_required", "device_defaults: {processes: [{pid: N/A}]}\n",
     "m.yaml:1:37: device_defaults.processes[0].pid: expected a value, got none"},
    {"long_value_is_cut",
     "device_defaults: {power: {limit_mw: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}\n",
     "m.yaml:1:37: device_defaults.power.limit_mw: expected a whole number, got "
     "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'"},
};
INSTANTIATE_TEST_SUITE_P(Values, BadMachine, testing::ValuesIn(values));

const Bad documents[] = {
    {"empty", "", "m.yaml:1:1: expected a machine, got an empty file"},
    {"comment", "# nothing\n", "m.yaml:1:1: expected a machine, got an empty file"},
    {"scalar", "hello\n", "m.yaml:1:1: expected a mapping of keys to values, got 'hello'"},
    {"list", "- a\n", "m.yaml:1:1: expected a mapping of keys to values, got a list"},
    {"null_document", "---\n...\n", "m.yaml:2:1: expected a machine, got an empty document"},
    {"version", "version: \"2.0\"\n", "m.yaml:1:10: version: expected \"1.0\", got '2.0'"},
    {"base", "base: hh100\n", "m.yaml:1:7: base: unknown machine 'hh100'; did you mean 'h100'?"},
    {"two_documents", "version: \"1.0\"\n---\nversion: \"1.0\"\n",
     "m.yaml:2:1: expected one document, got a second one"},
    {"syntax", "system: {\n", "m.yaml:2:1: not YAML: did not find expected node content while parsing a flow node"},
    {"tab", "system:\n\tdriver_version: x\n",
     "m.yaml:2:1: not YAML: found character that cannot start any token while scanning for the next token"},
    {"not_utf8", "system: {driver_version: \"\xff\"}\n", "m.yaml:1:1: not YAML: invalid leading UTF-8 octet"},
    {"unknown_alias", "device_defaults: *nobody\n", "m.yaml:1:18: there is no anchor '&nobody' before this alias"},
    {"alias_in_itself", "device_defaults: &a\n  power: *a\n", "m.yaml:2:10: alias '*a' stands inside what it names"},
    {"tag", "system: !thing {}\n", "m.yaml:1:9: expected no tag, got '!thing'"},
    {"merge_of_a_scalar", "device_defaults: {<<: 5}\n", "m.yaml:1:23: expected a mapping to merge"},
};
INSTANTIATE_TEST_SUITE_P(Documents, BadMachine, testing::ValuesIn(documents));

const Bad machines[] = {
    {"links_too_many", "nvlink: {links_per_gpu: 2, connections: [{from: 0, to: 1, links: 3}]}\n",
     "m.yaml:1:42: nvlink.connections[0]: GPU 0 has 2 links (links_per_gpu), and this needs 3"},
    {"link_to_itself", "nvlink: {links_per_gpu: 2, connections: [{from: 1, to: 1}]}\n",
     "m.yaml:1:42: nvlink.connections[0]: a GPU is not connected to itself"},
    {"index_missing", "devices:\n  - name: x\n", "m.yaml:2:5: devices[0]: expected a key 'index'"},
    {"index_twice", "devices:\n  - index: 1\n  - index: 1\n",
     "m.yaml:3:12: duplicate index 1 in devices[1]; the first is at line 2"},
    {"index_too_large", "devices: [{index: 1024}]\n", "m.yaml:1:19: devices[0].index: expected 0 to 1023, got '1024'"},
    {"devices_no_list", "devices: {index: 1}\n", "m.yaml:1:10: devices: expected a list"},
    {"device_no_mapping", "devices: [5]\n", "m.yaml:1:11: devices[0]: expected a mapping of keys to values, got '5'"},
    {"too_many", "system: {num_devices: 1025}\n", "m.yaml:1:23: system.num_devices: expected 0 to 1024, got '1025'"},
    {"entry_beyond_the_count_is_checked", "system: {num_devices: 1}\ndevices: [{index: 5, name: [x]}]\n",
     "m.yaml:2:28: devices[0].name: expected a text, got a list"},
    {"uuid_twice",
     "devices:\n  - {index: 0, uuid: GPU-00000000-0000-0000-0000-000000000001}\n"
     "  - {index: 1, uuid: GPU-00000000-0000-0000-0000-000000000001}\n",
     "m.yaml:3:22: duplicate uuid 'GPU-00000000-0000-0000-0000-000000000001' of GPU 1; GPU 0 has it from line 2"},
    {"uuid_for_all", "device_defaults: {uuid: GPU-00000000-0000-0000-0000-000000000001}\n",
     "m.yaml:1:25: duplicate uuid 'GPU-00000000-0000-0000-0000-000000000001' of GPU 1; GPU 0 has it from line 1"},
    {"bus_id_twice",
     "devices:\n  - {index: 3, pci: {bus_id: \"00000000:1A:00.0\"}}\n  - {index: 5, pci: {bus_id: \"0000:1a:00.0\"}}\n",
     "m.yaml:3:30: duplicate PCI address '0000:1A:00.0' of GPU 5; GPU 3 has it from line 2"},
    {"more_memory_used_than_there_is",
     "device_defaults:\n  memory: {total_bytes: 100, reserved_bytes: 10}\ndevices:\n  - index: 1\n    memory: "
     "{used_bytes: 91}\n",
     "m.yaml:5:26: GPU 1: memory.used_bytes: expected at most 90 (total_bytes less reserved_bytes), got 91"},
    {"limits_in_wrong_order", "device_defaults: {power: {min_limit_mw: 200, max_limit_mw: 100}}\n",
     "m.yaml:1:41: device_defaults.power.min_limit_mw: expected at most 100 (max_limit_mw), got 200"},
    {"limit_too_low", "device_defaults: {power: {min_limit_mw: 200, max_limit_mw: 300, limit_mw: 100}}\n",
     "m.yaml:1:75: device_defaults.power.limit_mw: expected at least 200 (min_limit_mw), got 100"},
    {"default_limit_too_low", "device_defaults: {power: {min_limit_mw: 200, default_limit_mw: 100}}\n",
     "m.yaml:1:64: device_defaults.power.default_limit_mw: expected at least 200 (min_limit_mw), got 100"},
    {"cuda_versions_disagree", "system: {cuda_version: \"12.5\", cuda_version_major: 12, cuda_version_minor: 4}\n",
     "m.yaml:1:24: system.cuda_version: expected '12.4' (cuda_version_major and cuda_version_minor), got '12.5'"},
    {"two_root_complexes",
     "pcie_topology:\n  root_complexes:\n    - {id: a, devices: [\"0000:1A:00.0\"]}\n    - {id: b, devices: "
     "[\"0:1a:0.0\"]}\n",
     "m.yaml:4:25: pcie_topology: '0:1a:0.0' is under two root complexes; the first is at line 3"},
    {"no_cpu_list", "pcie_topology:\n  root_complexes:\n    - {id: a, cpu_affinity: 0-15;32}\n",
     "m.yaml:3:29: pcie_topology: expected CPUs as 0-15,32-47, got '0-15;32'"},
    {"cpus_backwards", "pcie_topology:\n  root_complexes:\n    - {id: a, cpu_affinity: \"9-4\"}\n",
     "m.yaml:3:29: pcie_topology: expected CPUs as 0-15,32-47, got '9-4'"},
    {"too_long_accounting", "device_defaults:\n  accounting: {buffer_size: 4097}\n",
     "m.yaml:2:29: device_defaults.accounting.buffer_size: expected 0 to 4096, got '4097'"},
};
INSTANTIATE_TEST_SUITE_P(Machines, BadMachine, testing::ValuesIn(machines));

TEST(BadMachineFile, NamesTheReason) {
  std::string error;
  EXPECT_EQ(taken(read_machine_file("/nonexistent/m.yaml"), error), nullptr);
  EXPECT_EQ(error, "/nonexistent/m.yaml: cannot be read: No such file or directory");
  EXPECT_EQ(taken(read_machine_file("/"), error), nullptr);
  EXPECT_EQ(error, "/: expected a file, got a directory");
  EXPECT_EQ(taken(read_machine_file("/dev/zero"), error), nullptr);
  EXPECT_EQ(error, "/dev/zero: expected a file, got a device");
}

TEST(BadMachineFile, DeepNestingIsRefused) {
  std::string error;
  const std::string yaml = "device_defaults: " + std::string(100000, '[');
  EXPECT_EQ(taken(read_machine("m.yaml", yaml), error), nullptr);
  EXPECT_EQ(error, "m.yaml:1:82: expected at most 64 levels of nesting");
}

// Each level merges the one below twice: 2^levels keys, if all were visited.
std::string laughs(int levels) {
  std::string yaml = "k0: &a0 {unit_count: 1}\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string here = std::to_string(i), below = std::to_string(i - 1);
    yaml.append(i == levels ? "system" : "k" + here).append(": &a").append(here);
    yaml.append(" {<<: [*a").append(below).append(", *a").append(below).append("]}\n");
  }
  return yaml;
}

TEST(BadMachineFile, MergesDoNotBlowUp) {
  std::string error;
  EXPECT_EQ(taken(read_machine("m.yaml", laughs(40)), error), nullptr);
  EXPECT_TRUE(error.ends_with(": expected at most 16 merges inside each other")) << error;
  EXPECT_EQ(taken(read_machine("m.yaml", laughs(16)), error), nullptr);
  EXPECT_TRUE(error.ends_with(": expected fewer merged keys")) << error;
  EXPECT_EQ(taken(read_machine("m.yaml", laughs(3)), error), nullptr);
  EXPECT_NE(error.find(": unknown key 'k0'"), std::string::npos) << error;
}

const Bad mig[] = {
    {"impossible_start",
     "base: a100\nsystem: {num_devices: 1}\ndevice_defaults:\n  mig:\n    mode_current: enabled\n    instances:\n"
     "      - {profile: 1g.5gb}\n      - {profile: 3g.20gb, start: 2}\n",
     "m.yaml:8:9: device_defaults.mig.instances[1]: '3g.20gb' cannot start at memory slice 2; expected 0, 4"},
    {"overlap",
     "base: a100\nsystem: {num_devices: 1}\ndevice_defaults:\n  mig:\n    mode_current: enabled\n    instances:\n"
     "      - {profile: 4g.20gb, start: 0}\n      - {profile: 1g.5gb, start: 3}\n",
     "m.yaml:8:9: device_defaults.mig.instances[1]: '1g.5gb' at memory slice 3 overlaps another instance"},
    {"too_many",
     "base: a100\nsystem: {num_devices: 1}\ndevices:\n  - index: 0\n    mig:\n      mode_current: enabled\n"
     "      instances: [{profile: 3g.20gb}, {profile: 3g.20gb}, {profile: 1g.5gb}]\n",
     "m.yaml:7:59: GPU 0: mig.instances[2]: no room for '1g.5gb' beside the other instances"},
    {"unknown_profile", "base: a100\ndevice_defaults: {mig: {mode_current: enabled, instances: [{profile: 1g.6gb}]}}\n",
     "m.yaml:2:60: device_defaults.mig.instances[0]: unknown profile '1g.6gb'; expected one of 1g.5gb, 1g.5gb+me, "
     "1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb"},
    {"unknown_compute_profile",
     "base: a100\ndevice_defaults: {mig: {mode_current: enabled, instances: [{profile: 2g.10gb, compute_instances: "
     "[{profile: 3c.2g.10gb}]}]}}\n",
     "m.yaml:2:99: device_defaults.mig.instances[0].compute_instances[0]: unknown profile '3c.2g.10gb'; expected one "
     "of "
     "1c.2g.10gb, 2g.10gb"},
    {"instances_without_mode", "base: a100\ndevice_defaults: {mig: {instances: [{profile: 1g.5gb}]}}\n",
     "m.yaml:2:37: device_defaults.mig.instances[0]: expected mode_current: enabled"},
    {"instances_of_a_gpu_without_mig", "base: t4\ndevice_defaults: {mig: {instances: [{profile: 1g.5gb}]}}\n",
     "m.yaml:2:37: device_defaults.mig.instances[0]: this GPU has no MIG profiles"},
    {"wrong_id",
     "base: a100\ndevice_defaults: {mig: {mode_current: enabled, instances: [{profile: 3g.20gb, start: 4, id: 1}]}}\n",
     "m.yaml:2:60: device_defaults.mig.instances[0]: expected id 2, which memory slice 4 gives, got 1"},
    {"misplaced_profile",
     "base: a100\ndevice_defaults:\n  mig:\n    profiles:\n"
     "      - {name: 1g.5gb, id: 19, instances: 7, size: 1, starts: [0, 7], memory_mib: 4864, sm: 14}\n"
     "      - {name: 2g.10gb, id: 14, instances: 3, size: 2, starts: [0, 3], memory_mib: 9984, sm: 28}\n",
     "m.yaml:6:9: device_defaults.mig.profiles[1]: starts: '2g.10gb' with 2 of 8 memory slices cannot start at 3; "
     "expected halves, quarters or eighths"},
    {"same_id",
     "base: a100\ndevice_defaults:\n  mig:\n    profiles:\n"
     "      - {name: 1g.5gb, id: 19, instances: 1, size: 1, starts: [0], memory_mib: 4864, sm: 14}\n"
     "      - {name: 1g.5gb+me, id: 19, instances: 1, size: 1, starts: [0], memory_mib: 4864, sm: 14}\n",
     "m.yaml:6:9: device_defaults.mig.profiles[1]: id: 19 is the id of '1g.5gb'"},
    {"nameless_profile",
     "base: a100\ndevice_defaults:\n  mig:\n    profiles:\n"
     "      - {name: small, id: 19, instances: 1, size: 1, starts: [0], memory_mib: 4864, sm: 14}\n",
     "m.yaml:5:9: device_defaults.mig.profiles[0]: name: expected as 1g.10gb, with 1 to 8 compute slices, got 'small'"},
};
INSTANTIATE_TEST_SUITE_P(Mig, BadMachine, testing::ValuesIn(mig));

const Bad equipment[] = {
    {"no_gpu_computes_confidentially", "base: a100\nsystem:\n  conf_compute: {feature: enabled}\n",
     "m.yaml:3:27: system.conf_compute.feature: needs a GPU with features.confidential_compute: true"},
    {"unit_of_a_gpu_too_many", "base: v100\nsystem: {num_devices: 2}\nunits:\n  - {gpus: [1, 2]}\n",
     "m.yaml:4:3: units[0].gpus: expected indexes below 2, got 2"},
    {"excluded_and_there",
     "base: t4\ndevice_defaults: {pci: {}}\ndevices: [{index: 0, pci: {bus_id: \"0000:81:00.0\"}}]\nexcluded_gpus: "
     "[{bus_id: \"0000:81:00.0\"}]\n",
     "m.yaml:4:16: excluded_gpus: a GPU of the machine has the PCI address '0000:81:00.0'"},
};
INSTANTIATE_TEST_SUITE_P(EquipmentOf, BadMachine, testing::ValuesIn(equipment));

}  // namespace
}  // namespace nvmlkit::sim
