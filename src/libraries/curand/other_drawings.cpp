// MRG32k3a, Philox4x32-10 and MT19937.
#include <array>
#include <random>
#include <vector>

#include "libraries/curand/drawing.hpp"

namespace nvmlkit::curand {
namespace {

using Three = std::array<std::uint64_t, 3>;
using Matrix3 = std::array<Three, 3>;
constexpr std::uint64_t kFirstModulus = 4294967087u, kSecondModulus = 4294944443u;

Three times(const Matrix3& m, const Three& v, std::uint64_t modulus) {
  Three out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[i] = (out[i] + m[i][k] * v[k] % modulus) % modulus;
  return out;
}
Matrix3 squared(const Matrix3& m, std::uint64_t modulus) {
  Matrix3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) out[i][j] = (out[i][j] + m[i][k] * m[k][j] % modulus) % modulus;
  return out;
}
// Jumps of 2^k steps of one half of the generator.
std::vector<Matrix3> jumps_of(const Three& last_row, std::uint64_t modulus) {
  std::vector<Matrix3> out{{Three{0, 1, 0}, Three{0, 0, 1}, last_row}};
  while (out.size() < 77) out.push_back(squared(out.back(), modulus));
  return out;
}
const std::vector<Matrix3>& first_jumps() {
  static const auto all = jumps_of({kFirstModulus - 810728, 1403580, 0}, kFirstModulus);
  return all;
}
const std::vector<Matrix3>& second_jumps() {
  static const auto all = jumps_of({kSecondModulus - 1370589, 0, 527612}, kSecondModulus);
  return all;
}

struct MrgState {
  Three first{}, second{};
  std::uint64_t place = 0;

  void jump(std::size_t power) {
    first = times(first_jumps()[power], first, kFirstModulus);
    second = times(second_jumps()[power], second, kSecondModulus);
  }
  std::uint32_t next() {
    const std::uint64_t p = (1403580 * first[1] + 810728 * (kFirstModulus - first[0])) % kFirstModulus,
                        q = (527612 * second[2] + 1370589 * (kSecondModulus - second[0])) % kSecondModulus;
    first = {first[1], first[2], p};
    second = {second[1], second[2], q};
    ++place;
    return static_cast<std::uint32_t>(p > q ? p - q : p + kFirstModulus - q);
  }
};

// Sequences are 2^76 steps apart.
class Mrg32k3a : public Drawing {
 public:
  Mrg32k3a(std::uint64_t seed, std::uint64_t sequences) {
    MrgState state{{12345, 12345, 12345}, {12345, 12345, 12345}, 0};
    if (seed != 0) {
      const std::uint64_t x = static_cast<std::uint32_t>(seed) ^ 0x55555555u, y = (seed >> 32) ^ 0xAAAAAAAAu;
      state.first = {x * 12345 % kFirstModulus, y * 12345 % kFirstModulus, x * 12345 % kFirstModulus};
      state.second = {y * 12345 % kSecondModulus, x * 12345 % kSecondModulus, y * 12345 % kSecondModulus};
    }
    for (; first_.size() < sequences; state.jump(76)) first_.push_back(state);
    now_ = first_;
  }

  std::uint64_t sequences() const override { return first_.size(); }
  void draw(std::uint64_t sequence, std::uint64_t place, int count, std::uint32_t* out) override {
    MrgState& state = now_[sequence];
    if (state.place > place) state = first_[sequence];
    for (std::size_t k = 0; k < 64; ++k)
      if ((place - state.place) >> k & 1) state.jump(k);
    state.place = place;
    for (int k = 0; k < count; ++k) out[k] = state.next();
  }

 private:
  std::vector<MrgState> first_, now_;
};

// A function of a counter: its upper half is the sequence, its lower half the place of four words.
class Philox : public Drawing {
 public:
  explicit Philox(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t sequences() const override { return 65536; }
  void draw(std::uint64_t sequence, std::uint64_t place, int count, std::uint32_t* out) override {
    for (int k = 0; k < count;) {
      const auto words = four(place / 4, sequence);
      for (std::uint64_t at = place % 4; at < 4 && k < count; ++at, ++place) out[k++] = words[at];
    }
  }

 private:
  std::array<std::uint32_t, 4> four(std::uint64_t low, std::uint64_t high) const {
    std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                                   static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)};
    auto k0 = static_cast<std::uint32_t>(seed_), k1 = static_cast<std::uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      const std::uint64_t p = std::uint64_t{0xD2511F53u} * c[0], q = std::uint64_t{0xCD9E8D57u} * c[2];
      c = {static_cast<std::uint32_t>(q >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(q),
           static_cast<std::uint32_t>(p >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p)};
    }
    return c;
  }

  std::uint64_t seed_;
};

class Mt19937 : public Drawing {
 public:
  explicit Mt19937(std::uint64_t seed) : seed_(static_cast<std::uint32_t>(seed ^ seed >> 32)), source_(seed_) {}

  std::uint64_t sequences() const override { return 1; }
  void draw(std::uint64_t, std::uint64_t place, int count, std::uint32_t* out) override {
    if (place_ > place) {
      source_.seed(seed_);
      place_ = 0;
    }
    source_.discard(place - place_);
    for (int k = 0; k < count; ++k) out[k] = static_cast<std::uint32_t>(source_());
    place_ = place + static_cast<std::uint64_t>(count);
  }

 private:
  std::uint32_t seed_;
  std::mt19937 source_;
  std::uint64_t place_ = 0;
};

}  // namespace

std::shared_ptr<Drawing> make_mrg32k3a(std::uint64_t seed, std::uint64_t sequences) {
  return std::make_shared<Mrg32k3a>(seed, sequences);
}
std::shared_ptr<Drawing> make_philox(std::uint64_t seed) { return std::make_shared<Philox>(seed); }
std::shared_ptr<Drawing> make_mt19937(std::uint64_t seed) { return std::make_shared<Mt19937>(seed); }

}  // namespace nvmlkit::curand
