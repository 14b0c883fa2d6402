// XORWOW. Its step is linear over bits, so that a jump is a matrix of 160 by 160 bits; sequences are 2^67 steps apart.
#include <array>
#include <vector>

#include "libraries/curand/drawing.hpp"

namespace nvmlkit::curand {
namespace {

using Bits = std::array<std::uint32_t, 5>;
constexpr std::uint32_t kWeyl = 362437;
constexpr std::uint64_t kSequences = 4096;

void step(Bits& v) {
  const std::uint32_t t = v[0] ^ (v[0] >> 2);
  v = {v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
}

void add(Bits& to, const Bits& from) {
  for (std::size_t k = 0; k < 5; ++k) to[k] ^= from[k];
}

// The images of all values of each four of the 160 bits, so that a product takes forty sums.
using Matrix = std::array<std::array<Bits, 16>, 40>;
Bits times(const Matrix& m, const Bits& v) {
  Bits out{};
  for (std::size_t k = 0; k < 40; ++k) add(out, m[k][v[k / 8] >> (k % 8 * 4) & 15]);
  return out;
}
template <class Image>
Matrix matrix(Image image_of_bit) {
  Matrix out{};
  for (std::size_t bit = 0; bit < 160; ++bit) {
    const Bits image = image_of_bit(bit);
    const std::size_t place = std::size_t{1} << bit % 4;
    for (std::size_t value = 0; value < 16; ++value)
      if (value & place) add(out[bit / 4][value], image);
  }
  return out;
}

// Jumps of 2^k steps.
const std::vector<Matrix>& jumps() {
  static const std::vector<Matrix> all = [] {
    std::vector<Matrix> out{matrix([](std::size_t bit) {
      Bits image{};
      image[bit / 32] = std::uint32_t{1} << (bit % 32);
      step(image);
      return image;
    })};
    while (out.size() < 68) {
      const Matrix& half = out.back();
      out.push_back(matrix([&](std::size_t bit) { return times(half, half[bit / 4][std::size_t{1} << bit % 4]); }));
    }
    return out;
  }();
  return all;
}

struct State {
  Bits v{};
  std::uint32_t d = 0;
  std::uint64_t place = 0;

  void move_to(std::uint64_t to) {
    for (; place < to && to - place < 512; ++place) {
      step(v);
      d += kWeyl;
    }
    const std::uint64_t rest = to - place;
    for (std::size_t k = 0; k < 64; ++k)
      if (rest >> k & 1) v = times(jumps()[k], v);
    d += kWeyl * static_cast<std::uint32_t>(rest);
    place = to;
  }
};

State started(std::uint64_t seed) {
  const std::uint32_t t0 = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49u),
                      t1 = 2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu);
  return {{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0}, 6615241u + t1 + t0, 0};
}

// States of all sequences, each part in an array of its own: a loop over sequences becomes one of vectors.
class States {
 public:
  explicit States(const std::vector<State>& from) : d_(from.size()), places_(from.size()) {
    for (auto& part : v_) part.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) set(k, from[k]);
  }

  std::uint64_t place(std::size_t k) const { return places_[k]; }
  State get(std::size_t k) const { return {{v_[0][k], v_[1][k], v_[2][k], v_[3][k], v_[4][k]}, d_[k], places_[k]}; }
  void set(std::size_t k, const State& state) {
    for (std::size_t part = 0; part < 5; ++part) v_[part][k] = state.v[part];
    d_[k] = state.d;
    places_[k] = state.place;
  }

  // The next word of each of them: `apart` from each other.
  void next(std::size_t first, std::size_t count, std::size_t apart, std::uint32_t* out) {
    std::uint32_t *v0 = &v_[0][first], *v1 = &v_[1][first], *v2 = &v_[2][first], *v3 = &v_[3][first],
                  *v4 = &v_[4][first], *d = &d_[first];
#pragma GCC ivdep
    for (std::size_t k = 0; k < count; ++k) {
      Bits v{v0[k], v1[k], v2[k], v3[k], v4[k]};
      step(v);
      v0[k] = v[0], v1[k] = v[1], v2[k] = v[2], v3[k] = v[3], v4[k] = v[4];
      out[k * apart] = v[4] + (d[k] += kWeyl);
    }
    for (std::size_t k = first; k < first + count; ++k) ++places_[k];
  }

 private:
  std::array<std::vector<std::uint32_t>, 5> v_;
  std::vector<std::uint32_t> d_;
  std::vector<std::uint64_t> places_;
};

class Xorwow : public Drawing {
 public:
  explicit Xorwow(std::vector<State> first) : first_(std::move(first)), now_(first_) {}

  std::uint64_t sequences() const override { return kSequences; }
  void draw(std::uint64_t sequence, std::uint64_t place, int count, std::uint32_t* out) override {
    move(sequence, place);
    for (int k = 0; k < count; ++k) now_.next(sequence, 1, 1, out + k);
  }
  void draw_each(std::uint64_t first, std::uint64_t sequences, int count, std::uint32_t* out) override {
    for (std::uint64_t k = first; k < first + sequences; ++k) {
      move(k, places[k]);
      places[k] += static_cast<unsigned>(count);
    }
    for (int k = 0; k < count; ++k) now_.next(first, sequences, static_cast<unsigned>(count), out + k);
  }

 private:
  void move(std::uint64_t sequence, std::uint64_t place) {
    if (now_.place(sequence) == place) return;
    State state = now_.place(sequence) > place ? first_[sequence] : now_.get(sequence);
    state.move_to(place);
    now_.set(sequence, state);
  }

  std::vector<State> first_;
  States now_;
};

}  // namespace

std::shared_ptr<Drawing> make_xorwow(std::uint64_t seed) {
  std::vector<State> first{started(seed)};
  while (first.size() < kSequences) {
    first.push_back(first.back());
    first.back().v = times(jumps()[67], first.back().v);
  }
  return std::make_shared<Xorwow>(std::move(first));
}

std::shared_ptr<Drawing> make_seeded_xorwow(std::uint64_t seed) {
  std::vector<State> first;
  for (std::uint64_t k = 0; k < kSequences; ++k) first.push_back(started(seed + k * 0x9e3779b97f4a7c15u));
  return std::make_shared<Xorwow>(std::move(first));
}

}  // namespace nvmlkit::curand
