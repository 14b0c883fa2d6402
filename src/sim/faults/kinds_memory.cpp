// Memory errors and their repair.
#include "sim/faults/inject.hpp"
#include "sim/faults/kind_words.hpp"

namespace nvmlkit::sim::faults {
namespace {

using model::Gpu;

struct NamedPlace {
  std::string_view name;
  EccPlace place;
};
constexpr NamedPlace kPlaces[] = {{"dram", EccPlace::dram},
                                  {"sram", EccPlace::sram},
                                  {"l1", EccPlace::l1_cache},
                                  {"l2", EccPlace::l2_cache},
                                  {"register-file", EccPlace::register_file},
                                  {"texture", EccPlace::texture_memory},
                                  {"shared", EccPlace::shared_memory},
                                  {"cbu", EccPlace::cbu}};

Expected<void> inject_ecc(Gpu& gpu, Words arguments) {
  if (arguments.size() < 2) return fail(missing("a place and corrected or uncorrected, such as dram uncorrected"));
  const auto* place = find(kPlaces, arguments[0]);
  if (!place) return unknown("place", arguments[0], kPlaces);
  if (arguments[1] != "corrected" && arguments[1] != "uncorrected")
    return fail(wrong_value("corrected or uncorrected", quote(arguments[1])));
  std::uint64_t count = 1;
  if (arguments.size() > 2) {
    const auto wanted = arguments[2] == "--count" && arguments.size() > 3 ? number(arguments[3]) : std::nullopt;
    if (!wanted || *wanted == 0 || *wanted > 0xFFFFFFFF) return fail(missing("--count N, N from 1 to 4294967295"));
    if (auto good = no_more(arguments, 4); !good) return good;
    count = *wanted;
  }
  return add_ecc_errors(gpu, place->place, arguments[1] == "corrected", count);
}

Expected<void> inject_remap(Gpu& gpu, Words arguments) {
  if (arguments.size() != 1 || (arguments[0] != "pending" && arguments[0] != "failed"))
    return fail(missing("pending or failed"));
  if (arguments[0] == "pending")
    mark_repair_pending(gpu);
  else
    mark_repair_failed(gpu);
  return {};
}

void heal_remap(Gpu& gpu) {
  gpu.remapped_rows.pending = gpu.remapped_rows.failure_occurred = false;
  gpu.retired_pages.pending_retirement = false;
  if (gpu.faults.availability == Availability::available) forget_advice(gpu);
}

Active active_remap(const Gpu& gpu) {
  Active out;
  if (gpu.remapped_rows.pending.value_or(false) || gpu.retired_pages.pending_retirement.value_or(false))
    out.emplace_back("pending");
  if (gpu.remapped_rows.failure_occurred.value_or(false)) out.emplace_back("failed");
  return out;
}

// A bank is remapped at the next reset, out of a group that had all its spare banks.
Expected<void> inject_bank_remap(Gpu& gpu, Words arguments) {
  auto& banks = gpu.bank_remapper;
  if (!banks.active) return fail(impossible("the GPU remaps no banks; GPUs from Rubin on do"));
  if (arguments.size() != 1 || (arguments[0] != "pending" && arguments[0] != "no-spare"))
    return fail(missing("pending or no-spare"));
  const bool exhausts = arguments[0] == "no-spare";
  if (auto& all = banks.histogram.max_spare; all && *all > 0) all = *all - 1;
  if (exhausts) banks.histogram.no_spare = banks.histogram.no_spare.value_or(0) + 1;
  banks.inactive = banks.inactive.value_or(0) + 1;
  banks.pending = true;
  advise(gpu, model::RecoveryAction::reset);
  return {};
}

void heal_bank_remap(Gpu& gpu) {
  settle_banks(gpu);
  if (gpu.faults.availability == Availability::available) forget_advice(gpu);
}

Active active_bank_remap(const Gpu& gpu) {
  Active out;
  if (gpu.bank_remapper.pending.value_or(false)) out.emplace_back("pending");
  return out;
}

}  // namespace

constexpr Kind kind::bank_remap{"bank-remap", "pending|no-spare", inject_bank_remap, heal_bank_remap,
                                active_bank_remap};
constexpr Kind kind::ecc{"ecc", "PLACE corrected|uncorrected [--count N]", inject_ecc, nullptr, never_active};
constexpr Kind kind::remap{"remap", "pending|failed", inject_remap, heal_remap, active_remap};

}  // namespace nvmlkit::sim::faults
