// What the view knows of a GPU: facts that do not change, values of the last poll, and their history.
#pragma once

#include <cstdint>
#include <nvmlkit/generated/enums.hpp>
#include <nvmlkit/generated/errc.hpp>
#include <optional>
#include <string>
#include <vector>

#include "top/history.hpp"

namespace nvmlkit::top {

// A number that a GPU need not report.
using Value = std::optional<double>;

// Asked for once.
struct Facts {
  std::string name;    // without "NVIDIA"
  std::string bus_id;  // "00000000:53:00.0"
  std::string uuid;
  Value max_sm_clock;  // MHz
  Value slowdown_at;   // degrees Celsius
  std::optional<unsigned int> nvlinks;
  bool has_mig = false;  // the GPU can be divided
};

// The values of a GPU's row.
struct RowValues {
  Value utilization, memory_utilization;  // percent
  Value memory_used, memory_total;        // bytes
  Value power, power_limit;               // watts
  Value temperature;                      // degrees Celsius
  Value sm_clock;                         // MHz
  std::optional<unsigned int> p_state;
  std::optional<nvml::ClocksEventReasons> reasons;
};

// The values of an unfolded GPU.
struct DetailValues {
  Value graphics_clock, memory_clock, video_clock;  // MHz
  Value memory_temperature, fan;
  Value encoder, decoder;  // percent
  std::optional<unsigned int> pcie_generation, pcie_width;
  Value pcie_tx, pcie_rx, nvlink_tx, nvlink_rx;  // bytes per second
  Value pcie_replays, nvlink_errors;
  Value ecc_corrected, ecc_uncorrected;              // since the driver was loaded
  Value ecc_corrected_total, ecc_uncorrected_total;  // of the GPU's life
  Value rows_corrected, rows_uncorrected, rows_pending, rows_failed;
  Value pages_retired;
  std::optional<unsigned int> nvlinks_active;
  std::string fabric;    // what is wrong with it; empty: nothing
  std::string recovery;  // what the driver asks for, as "reset"; empty: nothing
};

struct MigRow {
  unsigned int place = 0;
  std::string name;  // "1g.10gb"
  std::optional<unsigned int> gpu_instance, compute_instance;
  Value memory_used, memory_total;
};

struct ProcessRow {
  unsigned int pid = 0;
  std::string kinds;  // "C", "G", "M" of MPS
  std::string name;
  std::optional<unsigned int> gpu_instance;
  Value memory;                  // bytes
  Value sm, memory_utilization;  // percent
  unsigned int age = 0;          // polls since these two were sampled
};

struct GpuReadings {
  nvml::Errc status = nvml::Errc::not_ready;  // of the last poll
  std::optional<Facts> facts;
  RowValues row;
  DetailValues detail;
  std::optional<bool> mig;  // the mode; empty on a GPU without
  std::vector<MigRow> mig_devices;
  std::vector<ProcessRow> processes;
  History utilization, memory, power, temperature;

  bool lost() const { return status == nvml::Errc::gpu_is_lost; }
  bool polled() const { return status != nvml::Errc::not_ready; }
};

// Something that a GPU reported by itself.
struct EventLine {
  std::string time;  // "14:03:22"
  std::optional<std::size_t> gpu;
  std::string text;
  bool grave = false;
};

}  // namespace nvmlkit::top
