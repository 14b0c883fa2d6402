#include "recording/shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace nvmlkit::recording {
namespace {

constexpr double kSmallestMove = 2;

struct Share {
  Quantity quantity;
  const char* option;  // of `nvmlkit load`; empty for the first word
};
constexpr Share kLoadShares[] = {{Quantity::gpu_load, ""},
                                 {Quantity::memory_load, "--memory"},
                                 {Quantity::encoder_load, "--encoder"},
                                 {Quantity::decoder_load, "--decoder"},
                                 {Quantity::jpeg_load, "--jpeg"},
                                 {Quantity::ofa_load, "--ofa"}};
using Shares = std::array<double, std::size(kLoadShares)>;

bool put_share(Shares& shares, const Sample& sample) {
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (kLoadShares[i].quantity == sample.quantity) {
      shares[i] = std::clamp(std::round(sample.value), 0.0, 100.0);
      return true;
    }
  return false;
}

bool has_moved(const Shares& from, const Shares& to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (std::fabs(from[i] - to[i]) >= kSmallestMove || (from[i] == 0) != (to[i] == 0)) return true;
  return false;
}

std::vector<std::string> words_of_shares(const Shares& shares) {
  if (std::all_of(shares.begin(), shares.end(), [](double share) { return share == 0; })) return {"off"};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (i > 0 && shares[i] == 0) continue;
    if (i > 0) out.emplace_back(kLoadShares[i].option);
    out.push_back(std::to_string(static_cast<int>(shares[i])) + "%");
  }
  return out;
}

}  // namespace

std::vector<ShapeStep> shape_of(const Recording& recording, std::uint32_t gpu) {
  std::vector<ShapeStep> out;
  std::vector<std::int64_t> times;
  Shares now{}, shown{};
  shown.fill(-kSmallestMove);
  const auto note = [&] {
    if (times.empty() || !has_moved(shown, now)) return;
    out.push_back({times.back() - times.front(), words_of_shares(now)});
    shown = now;
  };
  for (const auto& sample : recording.samples) {
    if (sample.gpu != gpu) continue;
    auto next = now;
    if (!put_share(next, sample)) continue;
    if (times.empty() || times.back() != sample.at_ms) {
      note();
      times.push_back(sample.at_ms);
    }
    now = next;
  }
  note();
  if (times.empty()) return out;
  const auto apart = times.size() > 1 ? (times.back() - times.front()) / (std::ssize(times) - 1) : 1000;
  out.push_back({times.back() - times.front() + apart, {"off"}});
  return out;
}

}  // namespace nvmlkit::recording
