#include "libraries/curand/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "libraries/curand/poisson.hpp"
#include "libraries/curand/quasi.hpp"

namespace nvmlkit::curand {
namespace {

constexpr float kWord = 2.3283064e-10f;               // 2^-32
constexpr double kMrg = 2.3283065498378288e-10;       // 1 / 4294967087
constexpr double kMrgBits = 1.000000048662;           // from its numbers to words
constexpr double kLongWord = 1.1102230246251565e-16;  // 2^-53
constexpr float kTurn = kWord * 6.2831855f;

bool is_mrg(curandRngType_t type) { return type == CURAND_RNG_PSEUDO_MRG32K3A; }

std::uint64_t long_word(const std::uint32_t* words) { return words[0] ^ std::uint64_t{words[1]} << 21; }

struct Pair {
  double first, second;
};
// Box and Muller's, in the precision of the device's functions.
Pair float_pair(curandRngType_t type, const std::uint32_t* words) {
  const bool mrg = is_mrg(type);
  const float u = mrg ? static_cast<float>(words[0] * kMrg) : static_cast<float>(words[0]) * kWord + kWord / 2;
  const float v =
      mrg ? static_cast<float>(words[1] * kMrg) * 6.2831855f : static_cast<float>(words[1]) * kTurn + kTurn / 2;
  const float s = std::sqrt(-2.0f * std::log(u));
  return {std::sin(v) * s, std::cos(v) * s};
}
Pair double_pair(curandRngType_t type, const std::uint32_t* words) {
  const bool mrg = is_mrg(type);
  const double u = mrg ? words[0] * kMrg : static_cast<double>(long_word(words)) * kLongWord + kLongWord / 2;
  const double v =
      mrg ? words[1] * kMrg * 2.0 : static_cast<double>(long_word(words + 2)) * (kLongWord * 2) + kLongWord;
  const double s = std::sqrt(-2.0 * std::log(u));
  return {std::sin(v * std::numbers::pi) * s, std::cos(v * std::numbers::pi) * s};
}

template <class T>
T uniform(curandRngType_t type, const std::uint32_t* words, int words_each) {
  if (is_mrg(type)) return static_cast<T>(words[0] * kMrg);
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(words[0]) * kWord + kWord / 2;
  if (words_each == 1) return static_cast<T>((words[0] + 1.0) * 0x1p-32);
  return static_cast<T>(static_cast<double>(long_word(words)) * kLongWord + kLongWord / 2);
}

// One group of results.
template <class T>
void convert(const Request& request, Group group, const std::uint32_t* words, const Poisson& poisson, T* out) {
  const int each = group.words / group.results;
  for (int k = 0; k < group.results; ++k) {
    if constexpr (std::is_integral_v<T>) {
      const std::uint32_t word = is_mrg(request.type) ? static_cast<std::uint32_t>(words[k] * kMrgBits) : words[k];
      out[k] = static_cast<T>(request.kind == Kind::poisson ? poisson.at((word + 0.5) * 0x1p-32) : word);
    } else if (request.kind == Kind::uniform) {
      out[k] = uniform<T>(request.type, words + k * each, each);
    } else if (k % 2 == 0) {
      const auto pair = std::is_same_v<T, float> ? float_pair(request.type, words + k * each)
                                                 : double_pair(request.type, words + k * each);
      for (int n = 0; n < 2; ++n) {
        const T z = static_cast<T>(n == 0 ? pair.first : pair.second);
        const T normal = static_cast<T>(request.mean) + z * static_cast<T>(request.deviation);
        out[k + n] = request.kind == Kind::lognormal ? std::exp(normal) : normal;
      }
    }
  }
}

// Groups that are drawn at once.
constexpr std::uint64_t kMostTogether = 256;

// Sequences whose offset counts results, not groups.
bool counts_results(curandRngType_t type) { return type == CURAND_RNG_PSEUDO_PHILOX4_32_10; }

}  // namespace

template <class T>
Group group_of(curandRngType_t type, Kind kind) {
  const bool is_double = std::is_same_v<T, double>, is_normal = kind == Kind::normal || kind == Kind::lognormal;
  if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) return {4, is_double ? 8 : 4};
  if (type == CURAND_RNG_PSEUDO_MRG32K3A) return is_normal ? Group{2, 2} : Group{1, 1};
  if (is_normal) return {2, is_double ? 4 : 2};
  return {1, is_double && type == CURAND_RNG_PSEUDO_XORWOW ? 2 : 1};
}

template <class T>
std::uint64_t moved_by(const Request& request, Size count) {
  const auto n = static_cast<std::uint64_t>(count);
  if (!request.drawing) return n / request.dimensions;
  const auto group = group_of<T>(request.type, request.kind);
  if (counts_results(request.type)) return n;
  return (n + static_cast<unsigned>(group.results) - 1) / static_cast<unsigned>(group.results);
}

template <class T>
void fill(const Request& request, T* out, Size count) {
  const Poisson poisson(request.kind == Kind::poisson ? request.mean : 0);
  if (!request.drawing) return fill_quasi(request, poisson, out, count);
  auto& drawing = *request.drawing;
  const std::lock_guard lock(drawing.busy);
  const auto group = group_of<T>(request.type, request.kind);
  const bool by_results = counts_results(request.type);
  const auto size = by_results ? static_cast<unsigned>(group.results) : 1u;
  if (request.is_sought) drawing.seek(request.offset, size);
  std::uint64_t at = request.offset / size;
  auto first = static_cast<Size>(request.offset % size);
  const Size results_each = group.results;
  std::uint32_t words[kMostTogether * 8];
  for (Size done = 0; done < count;) {
    const std::uint64_t sequence = at % drawing.sequences();
    const auto whole = first == 0 ? static_cast<std::uint64_t>((count - done) / results_each) : 0;
    if (whole > 0) {
      const std::uint64_t together = std::min({whole, drawing.sequences() - sequence, kMostTogether});
      drawing.draw_each(sequence, together, group.words, words);
      for (std::uint64_t k = 0; k < together; ++k, done += results_each)
        convert(request, group, words + k * static_cast<unsigned>(group.words), poisson, out + done);
      at += together;
      continue;
    }
    T results[4];
    drawing.draw(sequence, drawing.places[sequence], group.words, words);
    convert(request, group, words, poisson, results);
    const Size used = std::min<Size>(results_each - first, count - done);
    std::copy_n(results + first, used, out + done);
    // What is left of four results comes first in the next call.
    if (!by_results || first + used == results_each) drawing.places[sequence] += static_cast<unsigned>(group.words);
    done += used;
    ++at;
    first = 0;
  }
}

#define NVMLKIT_NUMBERS(T)                                  \
  template Group group_of<T>(curandRngType_t, Kind);        \
  template std::uint64_t moved_by<T>(const Request&, Size); \
  template void fill<T>(const Request&, T*, Size);
NVMLKIT_NUMBERS(float)
NVMLKIT_NUMBERS(double)
NVMLKIT_NUMBERS(std::uint32_t)
NVMLKIT_NUMBERS(unsigned long long)

}  // namespace nvmlkit::curand
