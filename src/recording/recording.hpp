// What a fleet recorded, in one form: samples and Xids of GPUs at times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/quantity.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::recording {

using sim::Expected;
using sim::Place;

// What a recording calls a GPU; what it does not have is empty.
struct GpuName {
  std::string host;
  std::optional<std::uint32_t> index;
  std::string uuid;  // with GPU- in front
  std::string bus_id;
  std::string model;
};

struct Sample {
  std::int64_t at_ms = 0;
  std::uint32_t gpu = 0;  // of Recording::gpus
  Quantity quantity{};
  bool weak = false;
  double value = 0;  // in the unit of the model
};

struct Xid {
  std::int64_t at_ms = 0;
  std::uint32_t gpu = 0;
  std::uint32_t number = 0;
};

struct Recording {
  std::vector<GpuName> gpus;
  std::vector<Sample> samples;
  std::vector<Xid> xids;
  bool dated = false;                                 // times are milliseconds since 1970, else since the beginning
  std::map<std::string, std::uint64_t> not_replayed;  // names that no field of a machine has, and how often

  // The GPU of that name, which is added if it is new. Two names are of one GPU if the host is not different, and
  // the UUID, else the address, else the index is the same.
  std::uint32_t gpu_of(const GpuName& name);

  // Samples that are no number are left out.
  void add(std::int64_t at_ms, std::uint32_t gpu, const Name& name, double value);

  bool empty() const { return samples.empty() && xids.empty(); }
};

// Behind what `whole` has. Times without a date begin with the dated ones.
void merge(Recording&& part, Recording& whole);

// By time; of samples of one GPU, quantity and time the last counts. Weak samples go where there are better ones.
void put_in_order(Recording& recording);

inline detail::unexpected<sim::Problem> refuse_at(Place place, Prose what, Prose hint = {}) {
  return sim::fail(sim::Problem{
      .kind = sim::ProblemKind::syntax, .what = std::move(what), .hint = std::move(hint), .place = std::move(place)});
}

}  // namespace nvmlkit::recording
