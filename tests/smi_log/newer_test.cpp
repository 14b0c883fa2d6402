// Elements that nvidia-smi prints from driver branch 610 on (DTD v13), and a GPU that its driver does not know.
#include <algorithm>

#include "support.hpp"

namespace nvmlkit::smi_log {
namespace {

constexpr const char* kElements = R"(
<product_name>NVIDIA Graphics Device</product_name>
<product_architecture>Rubin</product_architecture>
<inforom_time_data><time_run>6337 seconds</time_run></inforom_time_data>
<pci><pci_device_id>307F10DE</pci_device_id></pci>
<clocks_event_reasons>
  <clocks_event_reason_gpu_idle>Active</clocks_event_reason_gpu_idle>
  <clocks_event_reason_board_limit>Active</clocks_event_reason_board_limit>
  <clocks_event_reason_reliability>Not Active</clocks_event_reason_reliability>
</clocks_event_reasons>
<remapped_banks>
  <bank_remapper_active_remappings>3</bank_remapper_active_remappings>
  <bank_remapper_inactive_remappings>1</bank_remapper_inactive_remappings>
  <bank_remapper_pending>Yes</bank_remapper_pending>
  <bank_remapper_histogram>
    <bank_remapper_histogram_max>250 group(s)</bank_remapper_histogram_max>
    <bank_remapper_histogram_none>2 group(s)</bank_remapper_histogram_none>
  </bank_remapper_histogram>
</remapped_banks>
<temperature><gpu_temp>31 C</gpu_temp><gpu_temp_max>38 C</gpu_temp_max></temperature>
<gpu_power_readings>
  <gpu_ceiling_power_limit><current_power_limit>2200.00 W</current_power_limit></gpu_ceiling_power_limit>
  <gpu_base_power>
    <current_base_power>2000.00 W</current_base_power>
    <requested_base_power>2050.00 W</requested_base_power>
    <default_base_power>2100.00 W</default_base_power>
    <adaptive_tgp_adjusted_base_power>1900.00 W</adaptive_tgp_adjusted_base_power>
  </gpu_base_power>
  <current_power_limit>2200.00 W</current_power_limit>
</gpu_power_readings>
<edpp_multiplier>97.50%</edpp_multiplier>
<fabric>
  <health><partition_assigned>True</partition_assigned><gfm_state>Connected</gfm_state></health>
  <cliques>
    <clique_entry><clique_type>Unicast Pointer</clique_type><clique_id>5</clique_id></clique_entry>
    <clique_entry><clique_type>Multicast LE</clique_type><clique_id>7</clique_id></clique_entry>
  </cliques>
</fabric>
)";

const sim::model::Gpu& gpu_of(const std::unique_ptr<sim::Machine>& machine) { return machine->gpus()[0]; }

TEST(ImportOfNewerDrivers, EachElementHasItsField) {
  const auto imported = import_text(xml_log(kElements));
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  const auto& gpu = gpu_of(machine);
  EXPECT_EQ(*gpu.inforom.bbx_time_run_s, 6337u);
  EXPECT_TRUE(*gpu.clocks_throttle_reasons.board_limit);
  EXPECT_FALSE(*gpu.clocks_throttle_reasons.reliability);
  EXPECT_EQ(*gpu.clocks_throttle_reasons.supported, 0x7ffu);
  EXPECT_EQ(*gpu.bank_remapper.active, 3u);
  EXPECT_EQ(*gpu.bank_remapper.inactive, 1u);
  EXPECT_TRUE(*gpu.bank_remapper.pending);
  EXPECT_EQ(*gpu.bank_remapper.histogram.max_spare, 250u);
  EXPECT_EQ(*gpu.bank_remapper.histogram.no_spare, 2u);
  EXPECT_EQ(*gpu.thermal.hottest_part_above_c, 7u);
  EXPECT_EQ(*gpu.power.enforced_limit_mw, 2'200'000u);
  EXPECT_EQ(*gpu.base_power.limit_mw, 2'000'000u);
  EXPECT_EQ(*gpu.base_power.requested_limit_mw, 2'050'000u);
  EXPECT_EQ(*gpu.base_power.default_limit_mw, 2'100'000u);
  EXPECT_EQ(*gpu.adaptive_tgp.adjusted_limit_mw, 1'900'000u);
  EXPECT_EQ(*gpu.adaptive_tgp.requested, sim::model::EnableState::enabled);
  EXPECT_EQ(*gpu.power_balancing.edpp_percent, 98u);
  EXPECT_TRUE(*gpu.fabric.health.partition_assigned);
  EXPECT_TRUE(*gpu.fabric.health.global_manager_connected);
  ASSERT_EQ(gpu.fabric.cliques.size(), 2u);
  EXPECT_EQ(*gpu.fabric.cliques.items[1].type, sim::model::FabricCliqueType::multicast_logical_endpoint);
  EXPECT_EQ(*gpu.fabric.cliques.items[1].id, 7u);
}

TEST(ImportOfNewerDrivers, AGpuThatTheDriverDoesNotKnowIsFoundByItsPciId) {
  const auto imported = import_text(xml_log(kElements));
  EXPECT_NE(imported.yaml.find("base: vr200"), std::string::npos) << imported.yaml;
  const auto machine = machine_of(imported);
  ASSERT_TRUE(machine);
  EXPECT_EQ(gpu_of(machine).name->view(), "NVIDIA Graphics Device");
  EXPECT_EQ(*gpu_of(machine).compute_capability.minor, 7u);
}

TEST(ImportOfNewerDrivers, TheVersionsHaveNewNames) {
  const auto machine = machine_of(
      import_text("<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<kmd_version>615.71.09</kmd_version>\n"
                  "<cuda_umd_version>13.4</cuda_umd_version>\n<gpu id=\"00000000:3B:00.0\">\n<product_name>NVIDIA "
                  "H200</product_name>\n</gpu>\n</nvidia_smi_log>\n"));
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->system().driver_version->view(), "615.71.09");
  EXPECT_EQ(*machine->system().cuda_version_major, 13u);
  EXPECT_EQ(*machine->system().cuda_version_minor, 4u);
}

}  // namespace
}  // namespace nvmlkit::smi_log
