#include "libraries/curand/functions/generators.hpp"

#include <vector>

#include "libraries/curand/drawing.hpp"
#include "libraries/curand/sobol.hpp"

namespace nvmlkit::curand::functions {
namespace {

// Of CUDA 13.0.
constexpr int kVersion[] = {10, 4, 0};

bool is_type(curandRngType_t type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      return true;
    default:
      return false;
  }
}

bool is_order(const Generator& g, curandOrdering_t order) {
  switch (order) {
    case CURAND_ORDERING_QUASI_DEFAULT:
      return g.is_quasi();
    case CURAND_ORDERING_PSEUDO_BEST:
      return !g.is_quasi() && g.type != CURAND_RNG_PSEUDO_MT19937;
    case CURAND_ORDERING_PSEUDO_DEFAULT:
    case CURAND_ORDERING_PSEUDO_LEGACY:
      return !g.is_quasi();
    case CURAND_ORDERING_PSEUDO_SEEDED:
      return g.type == CURAND_RNG_PSEUDO_XORWOW;
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
      return !g.is_quasi() && g.driver;
    default:
      return false;
  }
}

curandStatus_t make(Generator** out, curandRngType_t type, const libraries::Driver* driver) {
  if (!is_type(type)) return CURAND_STATUS_TYPE_ERROR;
  auto made = std::make_unique<Generator>();
  made->driver = driver;
  made->type = type == CURAND_RNG_PSEUDO_DEFAULT  ? CURAND_RNG_PSEUDO_XORWOW
               : type == CURAND_RNG_QUASI_DEFAULT ? CURAND_RNG_QUASI_SOBOL32
                                                  : type;
  if (made->is_quasi()) made->order = CURAND_ORDERING_QUASI_DEFAULT;
  *out = made.release();
  return CURAND_STATUS_SUCCESS;
}

template <class Word>
struct Vectors {
  std::vector<Word> words;

  explicit Vectors(bool is_scrambled) {
    for (const auto& of : directions(kMostDimensions, is_scrambled))
      for (std::size_t k = 0; k < 8 * sizeof(Word); ++k)
        words.push_back(static_cast<Word>(of[k] >> (64 - 8 * sizeof(Word))));
  }
};
template <class Word>
struct Constants {
  std::vector<Word> words;

  Constants() {
    for (std::uint32_t d = 0; d < kMostDimensions; ++d)
      words.push_back(static_cast<Word>(scramble_constant(d) >> (64 - 8 * sizeof(Word))));
  }
};

// Tables of the library: a program keeps what it gets.
template <class Array, class Word>
curandStatus_t get_directions(Array** out, bool is_scrambled) {
  static Vectors<Word> plain(false), scrambled(true);
  *out = reinterpret_cast<Array*>((is_scrambled ? scrambled : plain).words.data());
  return CURAND_STATUS_SUCCESS;
}
template <class Word>
curandStatus_t get_constants(Word** out) {
  if (!out) return CURAND_STATUS_OUT_OF_RANGE;
  static Constants<Word> all;
  *out = all.words.data();
  return CURAND_STATUS_SUCCESS;
}

}  // namespace

curandStatus_t create(Generator** out, curandRngType_t type) {
  if (!out) return CURAND_STATUS_NOT_INITIALIZED;
  const auto* const driver = libraries::driver();
  if (!driver || libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CURAND_STATUS_INITIALIZATION_FAILED;
  return make(out, type, driver);
}
curandStatus_t create_host(Generator** out, curandRngType_t type) {
  return out ? make(out, type, nullptr) : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t destroy(const Call& call) {
  call.generator.mark = 0;
  delete &call.generator;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t get_version(int* version) {
  if (!version) return CURAND_STATUS_OUT_OF_RANGE;
  *version = kVersion[0] * 1000 + kVersion[1] * 100 + kVersion[2];
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t get_property(libraryPropertyType type, int* value) {
  if (static_cast<unsigned>(type) > 2 || !value) return CURAND_STATUS_OUT_OF_RANGE;
  *value = kVersion[static_cast<unsigned>(type)];
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t set_stream(const Call& call, CUstream stream) {
  call.generator.stream = stream;
  return CURAND_STATUS_SUCCESS;
}
// As documented, the offset stays.
curandStatus_t set_seed(const Call& call, unsigned long long seed) {
  auto& g = call.generator;
  if (g.is_quasi()) return CURAND_STATUS_TYPE_ERROR;
  if (g.seed == seed) return CURAND_STATUS_SUCCESS;
  g.drawing.reset();
  g.seed = seed;
  if (g.type == CURAND_RNG_PSEUDO_MTGP32 || g.type == CURAND_RNG_PSEUDO_MT19937) g.offset = 0;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t set_offset(const Call& call, unsigned long long offset) {
  auto& g = call.generator;
  if (g.type == CURAND_RNG_PSEUDO_MTGP32 || g.type == CURAND_RNG_PSEUDO_MT19937) return CURAND_STATUS_TYPE_ERROR;
  g.offset = offset;
  g.is_sought = true;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t set_order(const Call& call, curandOrdering_t order) {
  auto& g = call.generator;
  if (!is_order(g, order)) return CURAND_STATUS_OUT_OF_RANGE;
  if (g.order != order) g.drawing.reset();
  g.order = order;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t set_dimensions(const Call& call, unsigned int dimensions) {
  if (!call.generator.is_quasi()) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions == 0 || dimensions > kMostDimensions) return CURAND_STATUS_OUT_OF_RANGE;
  call.generator.dimensions = dimensions;
  return CURAND_STATUS_SUCCESS;
}
// The next call that needs them makes them, too.
curandStatus_t make_seeds(const Call&) { return CURAND_STATUS_SUCCESS; }

curandStatus_t get_directions_32(DirectionVectors32** out, curandDirectionVectorSet_t set) {
  if (!out || (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 && set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6))
    return CURAND_STATUS_OUT_OF_RANGE;
  return get_directions<DirectionVectors32, std::uint32_t>(out, set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
}
curandStatus_t get_directions_64(DirectionVectors64** out, curandDirectionVectorSet_t set) {
  if (!out || (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 && set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6))
    return CURAND_STATUS_OUT_OF_RANGE;
  return get_directions<DirectionVectors64, unsigned long long>(out,
                                                                set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
}
curandStatus_t get_constants_32(unsigned int** out) { return get_constants(out); }
curandStatus_t get_constants_64(unsigned long long** out) { return get_constants(out); }

}  // namespace nvmlkit::curand::functions
