// Values of a log are those of the machine, in both formats.
#include "support.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::model::Architecture;
using sim::model::EnableState;

constexpr const char* kText = R"(    Product Name                          : NVIDIA Test GPU
    Product Architecture                  : Ada Lovelace
    Serial Number                         : N/A
    GPU UUID                              : GPU-01234567-89ab-cdef-0123-456789abcdef
    Inforom BBX Object Flush
        Latest Timestamp                  : 2024/11/13 22:03:47.226
        Latest Duration                   : 135912 us
    PCI
        Device Id                         : 0x27B810DE
        Atomic Caps Outbound              : FETCHADD_32 CAS_64 
        GPU Link Info
            Link Width
                Current                   : 8x
    Fan Speed                             : 37 %
    Clocks Event Reasons
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Active
    FB Memory Usage
        Total                             : 23034 MiB
        Used                              : 17 MiB
    Temperature
        GPU T.Limit Temp                  : -3 C
    GPU Power Readings
        Power Draw                        : 61.62 W
    Voltage
        Graphics                          : 662.500 mV
    Processes
        GPU instance ID                   : N/A
        Compute instance ID               : N/A
        Process ID                        : 4711
            Type                          : C
            Name                          : /usr/bin/a "b" : c
            Used GPU Memory               : 16 MiB
    Supported Clocks
        Memory                            : 6251 MHz
            Graphics                      : 2040 MHz
            Graphics                      : 2025 MHz)";

constexpr const char* kXml = R"(<product_name>NVIDIA Test GPU</product_name>
<product_architecture>Ada Lovelace</product_architecture>
<serial>N/A</serial>
<uuid>GPU-01234567-89ab-cdef-0123-456789abcdef</uuid>
<inforom_bbx_flush><latest_timestamp>2024/11/13 22:03:47.226</latest_timestamp>
<latest_duration>135912 us</latest_duration></inforom_bbx_flush>
<pci><pci_device_id>27B810DE</pci_device_id><atomic_caps_outbound>FETCHADD_32 CAS_64</atomic_caps_outbound>
<pci_gpu_link_info><link_widths><current_link_width>8x</current_link_width></link_widths></pci_gpu_link_info></pci>
<fan_speed>37 %</fan_speed>
<clocks_event_reasons><clocks_event_reason_hw_slowdown>Active</clocks_event_reason_hw_slowdown>
<clocks_event_reason_hw_thermal_slowdown>Active</clocks_event_reason_hw_thermal_slowdown></clocks_event_reasons>
<fb_memory_usage><total>23034 MiB</total><used>17 MiB</used></fb_memory_usage>
<temperature><gpu_temp_tlimit>-3 C</gpu_temp_tlimit></temperature>
<gpu_power_readings><power_draw>61.62 W</power_draw></gpu_power_readings>
<voltage><graphics_volt>662.500 mV</graphics_volt></voltage>
<processes><process_info><pid>4711</pid><type>C</type><process_name>/usr/bin/a "b" : c</process_name>
<used_memory>16 MiB</used_memory></process_info></processes>
<supported_clocks><supported_mem_clock><value>6251 MHz</value>
<supported_graphics_clock>2040 MHz</supported_graphics_clock>
<supported_graphics_clock>2025 MHz</supported_graphics_clock></supported_mem_clock></supported_clocks>)";

class BothFormats : public testing::TestWithParam<const char*> {
 protected:
  static std::string log() {
    const std::string body = GetParam();
    return body.starts_with('<') ? xml_log(body) : text_log(body);
  }
};

TEST_P(BothFormats, ValuesAreThoseOfTheLog) {
  const auto imported = import_text(log());
  EXPECT_TRUE(imported.leftovers.unknown.empty()) << imported.leftovers.unknown.front();
  EXPECT_TRUE(imported.leftovers.not_kept.empty()) << imported.leftovers.not_kept.front();
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->system().driver_version->view(), "550.90.07");
  EXPECT_EQ(machine->system().cuda_version->view(), "12.4");
  ASSERT_EQ(machine->gpus().size(), 1u);
  const auto& gpu = machine->gpus()[0];
  EXPECT_EQ(gpu.name->view(), "NVIDIA Test GPU");
  EXPECT_EQ(*gpu.architecture, Architecture::ada);
  EXPECT_EQ(*gpu.compute_capability.major, 8u);
  EXPECT_EQ(*gpu.compute_capability.minor, 9u);
  EXPECT_FALSE(gpu.serial);
  EXPECT_EQ(gpu.uuid->view(), "GPU-01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(*gpu.inforom.bbx_flush_time_us, 1731535427226000u);
  EXPECT_EQ(*gpu.inforom.bbx_flush_duration_us, 135912u);
  EXPECT_EQ(gpu.pci.bus_id->bus, 0x3Bu);
  EXPECT_EQ(*gpu.pci.device_id, 0x27B810DEu);
  EXPECT_EQ(*gpu.pcie.atomic_caps_outbound, 0x21u);
  EXPECT_EQ(*gpu.pcie.current_link_width, 8u);
  EXPECT_EQ(*gpu.fan.speed_percent, 37u);
  EXPECT_EQ(*gpu.fan.count, 1u);
  EXPECT_TRUE(*gpu.clocks_throttle_reasons.hw_slowdown);
  EXPECT_TRUE(*gpu.clocks_throttle_reasons.hw_thermal_slowdown);
  EXPECT_EQ(*gpu.memory.total_bytes, std::uint64_t{23034} << 20);
  EXPECT_EQ(*gpu.memory.used_bytes, std::uint64_t{17} << 20);
  EXPECT_EQ(*gpu.thermal.tlimit_c, -3);
  EXPECT_EQ(*gpu.power.current_draw_mw, 61620u);
  EXPECT_EQ(*gpu.power.graphics_voltage_uv, 662500u);
  ASSERT_EQ(gpu.processes.size(), 1u);
  EXPECT_EQ(*gpu.processes.items[0].pid, 4711u);
  EXPECT_EQ(gpu.processes.items[0].name->view(), "/usr/bin/a \"b\" : c");
  EXPECT_EQ(*gpu.processes.items[0].used_memory_mib, 16u);
  ASSERT_EQ(gpu.supported_clocks.memory_clocks.size(), 1u);
  const auto& clocks = gpu.supported_clocks.memory_clocks.items[0];
  EXPECT_EQ(*clocks.freq_mhz, 6251u);
  ASSERT_EQ(clocks.graphics_clocks.size(), 2u);
  EXPECT_EQ(clocks.graphics_clocks.items[1], 2025u);
}

INSTANTIATE_TEST_SUITE_P(Formats, BothFormats, testing::Values(kText, kXml),
                         [](const auto& one) { return one.index == 0 ? "Text" : "Xml"; });

TEST(Import, TakesWhatTheLogDoesNotTellFromTheProfile) {
  const auto imported =
      import_text(text_log("    Product Name                          : Tesla T4\n"
                           "    Fan Speed                             : N/A\n"
                           "    Voltage\n        Graphics                          : N/A"));
  EXPECT_NE(imported.yaml.find("\nbase: t4\n"), std::string::npos) << imported.yaml;
  EXPECT_EQ(imported.yaml.find("fan"), std::string::npos) << "no difference, so not written\n" << imported.yaml;
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gpus().size(), 1u);
  EXPECT_EQ(*machine->gpus()[0].num_gpu_cores, 2560u);
  EXPECT_EQ(*machine->gpus()[0].power.default_limit_mw, 70000u);
}

TEST(Import, WritesWhatFollowsFromOtherValues) {
  // The profile's requested limit is its default limit; here they differ, though the requested one is as in the
  // profile.
  const auto machine =
      machine_of(text_log("    Product Name                          : Tesla T4\n"
                          "    GPU Power Readings\n"
                          "        Requested Power Limit             : 70.00 W\n"
                          "        Default Power Limit               : 65.00 W"));
  ASSERT_TRUE(machine);
  EXPECT_EQ(*machine->gpus()[0].power.default_limit_mw, 65000u);
  EXPECT_EQ(*machine->gpus()[0].power.limit_mw, 70000u);
}

TEST(Import, KeepsGpusOfSeveralProfilesApart) {
  const auto machine =
      machine_of(text_log("    Product Name                          : Tesla T4") + "GPU 00000000:5E:00.0\n" +
                 "    Product Name                          : NVIDIA H100 80GB HBM3\nGPU 00000000:5F:00.0\n" +
                 "    Product Name                          : NVIDIA Unheard Of\n" + "GPU 00000000:60:00.0\n" +
                 "    Product Name                          : Tesla T4\n");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus().size(), 4u);
  EXPECT_EQ(*machine->gpus()[0].num_gpu_cores, 2560u);
  EXPECT_EQ(*machine->gpus()[1].num_gpu_cores, 16896u);
  EXPECT_EQ(*machine->gpus()[1].mig.max_gpu_instances, 7u);
  EXPECT_FALSE(machine->gpus()[1].retired_pages.pending_retirement.value_or(false));
  EXPECT_FALSE(machine->gpus()[2].num_gpu_cores);
  EXPECT_FALSE(machine->gpus()[2].power.default_limit_mw);
  EXPECT_TRUE(machine->gpus()[2].supported_clocks.memory_clocks.empty());
}

TEST(Import, JoinsTheOutputsOfSeveralCommands) {
  const std::string text =
      "$ nvidia-smi -q\n" + text_log("    Product Name                          : NVIDIA A100-SXM4-40GB") +
      "$ nvidia-smi topo -m\n\t\x1b[4mGPU0\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
      "GPU0\t X \tPXB\t0-31,64-95\t1\t\tN/A\nNIC0\tPXB\t X \n\n"
      "$ nvidia-smi nvlink -s\nGPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-01234567-89ab-cdef-0123-456789abcdef)\n"
      "\t Link 0: 25 GB/s\n\t Link 1: <inactive>\n"
      "$ nvidia-smi mig -lgip\n| GPU instance profiles:                |\n"
      "|   0  MIG 1g.5gb        19     3/5        4.75       No     14     0     0   |\n";
  const auto imported = import_text(text);
  EXPECT_EQ(imported.leftovers.others.size(), 4u) << "the commands";
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  const auto& host = machine->host();
  ASSERT_EQ(host.pcie_topology.root_complexes.size(), 1u);
  EXPECT_EQ(host.pcie_topology.root_complexes.items[0].cpu_affinity->view(), "0-31,64-95");
  EXPECT_EQ(*host.pcie_topology.root_complexes.items[0].numa_node, 1u);
  EXPECT_EQ(*host.nvlink.links_per_gpu, 2u);
  EXPECT_EQ(*host.nvlink.bandwidth_per_link_mbps, 25000u);
  ASSERT_EQ(host.nvlink.device_links.size(), 1u);
  EXPECT_EQ(*host.nvlink.device_links.items[0].links.items[0].link, 1u);
  EXPECT_EQ(*machine->gpus()[0].mig.max_gpu_instances, 5u);
}

TEST(Import, DistancesMakeRootComplexes) {
  const auto log = [](const char* bus_id) {
    return text_log(std::string("    Product Name                          : NVIDIA L40S"), bus_id);
  };
  const auto machine = machine_of(log("00000000:1A:00.0") + log("00000000:1B:00.0") + log("00000000:9A:00.0") +
                                  "$ nvidia-smi topo -m\n\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\n"
                                  "GPU0\t X \tPXB\tNODE\t0-31\t0\nGPU1\tPXB\t X \tNODE\t0-31\t0\n"
                                  "GPU2\tNODE\tNODE\t X \t0-31\t0\n\n");
  ASSERT_TRUE(machine);
  const auto complexes = machine->host().pcie_topology.root_complexes.span();
  ASSERT_EQ(complexes.size(), 2u);
  EXPECT_EQ(complexes[0].devices.size(), 2u);
  EXPECT_EQ(*complexes[0].level, sim::model::TopologyLevel::multiple);
  EXPECT_EQ(*complexes[1].numa_node, 0u);
}

TEST(Import, ASecondLogAddsWhatTheFirstDidNotShow) {
  const auto machine = machine_of(text_log("    Performance State                     : P8") +
                                  text_log("    Performance State                     : P0\n"
                                           "    Persistence Mode                      : Enabled"));
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->gpus().size(), 1u);
  EXPECT_EQ(static_cast<int>(*machine->gpus()[0].performance_state), 8);
  EXPECT_EQ(*machine->gpus()[0].persistence_mode, EnableState::enabled);
}

TEST(Import, ReadsLogsThatWerePastedIndentedOrWithoutTheirHead) {
  std::string indented;
  for (std::string line; const char c : text_log("    Product Name                          : Tesla T4")) {
    line += c;
    if (c == '\n') indented += "    " + line, line.clear();
  }
  EXPECT_TRUE(machine_of(indented));
  EXPECT_TRUE(machine_of(std::string("GPU 00000000:3B:00.0\r\n    Product Name : Tesla T4\r\n    [...]\r\n")));
}

TEST(Import, CountsWhatItDoesNotKeep) {
  const auto imported = import_text(text_log("    Brand New Mode                        : Warm\n"
                                             "    Power Smoothing                       : 50 %\n"
                                             "    Power Smoothing                       : N/A") +
                                    "what is this\n");
  ASSERT_EQ(imported.leftovers.unknown.size(), 1u);
  EXPECT_EQ(imported.leftovers.unknown[0], "log.txt:8: Brand New Mode: Warm");
  ASSERT_EQ(imported.leftovers.not_kept.size(), 1u);
  EXPECT_EQ(imported.leftovers.not_kept[0], "log.txt:9: Power Smoothing: 50 %");
  ASSERT_EQ(imported.leftovers.others.size(), 1u);
  EXPECT_EQ(imported.leftovers.others[0], "log.txt:11: what is this");
}

TEST(Import, MakesNewUuidsForMaskedOnes) {
  for (const char* uuid : {"GPU-xxxxxxxx", "[masked]"}) {
    const auto imported = import_text(text_log(std::string("    GPU UUID                              : ") + uuid));
    ASSERT_EQ(imported.notes.size(), 2u) << uuid;
    EXPECT_NE(imported.notes[1].find("masked"), std::string::npos);
    EXPECT_TRUE(machine_of(imported)) << uuid;
  }
}

TEST(Import, TakesListsOfGpusOnly) {
  const auto imported = import_text("Driver Version : 550\nProcesses : 3\n" + text_log(""));
  EXPECT_TRUE(machine_of(imported));
  EXPECT_EQ(imported.leftovers.unknown.size(), 1u);
}

TEST(Import, KeepsTheMaskOfOneGpuAndNotThatOfTwo) {
  const std::string mask = "    GPU UUID                              : GPU-00000000-0000-0000-0000-000000000000\n";
  EXPECT_EQ(machine_of(text_log(mask))->gpus()[0].uuid->view(), "GPU-00000000-0000-0000-0000-000000000000");
  const auto two = machine_of(text_log(mask) + "GPU 00000000:5E:00.0\n" + mask);
  EXPECT_NE(two->gpus()[0].uuid->view(), two->gpus()[1].uuid->view());
}

TEST(Import, LeavesOutWhatContradictsItself) {
  const auto imported =
      import_text(text_log("    GPU Power Readings\n"
                           "        Default Power Limit               : 500.00 W\n"
                           "        Max Power Limit                   : 400.00 W"));
  ASSERT_FALSE(imported.notes.empty());
  EXPECT_NE(imported.notes.back().find("left out"), std::string::npos) << imported.notes.back();
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  EXPECT_EQ(*machine->gpus()[0].power.max_limit_mw, 400000u);
}

}  // namespace
}  // namespace nvmlkit::smi_log
