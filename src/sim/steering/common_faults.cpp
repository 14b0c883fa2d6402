#include "sim/steering/common_faults.hpp"

namespace nvmlkit::sim::steering {
namespace {

constexpr std::string_view kFaults[] = {"xid 79",
                                        "xid 48",
                                        "xid 63",
                                        "xid 74",
                                        "xid 94",
                                        "xid 95",
                                        "xid 119",
                                        "lost",
                                        "off-bus",
                                        "reset-required",
                                        "thermal hw",
                                        "thermal sw",
                                        "power-brake",
                                        "ecc dram corrected --count 10",
                                        "ecc dram uncorrected",
                                        "ecc l2 uncorrected",
                                        "remap pending",
                                        "remap failed",
                                        "nvlink 0 down",
                                        "nvlink all down",
                                        "nvlink 0 errors",
                                        "fan all",
                                        "inforom",
                                        "recovery reset",
                                        "fabric degraded-bandwidth",
                                        "removed"};

}  // namespace

std::span<const std::string_view> common_faults() { return kFaults; }

}  // namespace nvmlkit::sim::steering
