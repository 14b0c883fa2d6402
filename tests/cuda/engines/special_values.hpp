// Operands at which arithmetic shows its rules: zeros, small and large numbers, ends of types, ties, infinities, and
// all kinds of what is no number. The order of them is part of float_facts.txt.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

namespace nvmlkit::test {

using Values = std::vector<std::uint64_t>;

inline std::uint64_t as_double(std::uint64_t single) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(single))));
}

// f64: the f32 that are numbers, and others.
inline Values doubles_of(const Values& singles, const Values& others) {
  Values out;
  for (const auto v : singles)
    if ((v & 0x7F800000) != 0x7F800000) out.push_back(as_double(v));
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

// bf16: the upper halves of f32, and others.
inline Values upper_halves(const Values& singles, const Values& others) {
  Values out;
  for (const auto v : singles) out.push_back(v >> 16);
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

// Each value with another one above it.
inline Values pairs_of(const Values& values) {
  Values out;
  for (std::size_t k = 0; k < values.size(); ++k) out.push_back(values[k] | values[(k * 7 + 3) % values.size()] << 16);
  return out;
}

// For one and two operands.
inline const Values singles = {
    0,          0x80000000, 1,          0x80000001, 0x00400000, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000,
    0x00800001, 0x00FFFFFF, 0x01000000, 0x3F800000, 0xBF800000, 0x3FC00000, 0x3DCCCCCD, 0x40400000, 0xC0200000,
    0x3F000000, 0x40200000, 0xBF000000, 0x3F7FFFFF, 0x4B000001, 0x4B7FFFFF, 0x4F000000, 0xCF000000, 0x4F800000,
    0x5F000000, 0xDF000000, 0x5F800000, 0x477FE000, 0x477FF000, 0x477FEFFF, 0x43E00000, 0x43E80000, 0x47600000,
    0x47680000, 0x33800000, 0x33000000, 0x33000001, 0x38800000, 0x387FF000, 0x42FE0000, 0x43000000, 0xC3180000,
    0x43FF8000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7FFFFFFF,
    0xFFFFFFFF, 0x7F800001, 0x7FA12345, 0xFF812345, 0x7FD12345, 0x3F808000, 0x3F801000, 0x3F803000, 0x3F818000};
inline const Values other_doubles = {1,
                                     0x8000000000000001,
                                     0x0008000000000000,
                                     0x000FFFFFFFFFFFFF,
                                     0x0010000000000000,
                                     0x8010000000000000,
                                     0x7FEFFFFFFFFFFFFF,
                                     0xFFEFFFFFFFFFFFFF,
                                     0x7FF0000000000000,
                                     0xFFF0000000000000,
                                     0x7FF8000000000000,
                                     0xFFF8000000000000,
                                     0x7FFFFFFFFFFFFFFF,
                                     0xFFFFFFFFFFFFFFFF,
                                     0x7FF0000000000001,
                                     0x7FF4123456789ABC,
                                     0xFFF0123456789ABC,
                                     0x7FF8123456789ABC,
                                     0x3FF0000000000001,
                                     0x3FF0000010000000,
                                     0x3FF0000010000001,
                                     0x47EFFFFFF0000000,
                                     0x47EFFFFFEFFFFFFF,
                                     0x3810000000000000,
                                     0x380FFFFFFFFFFFFF,
                                     0x36A0000000000000,
                                     0x3690000000000000,
                                     0x3690000000000001,
                                     0x40EFFDFFFFFFFFFF,
                                     0x3FF0020000000001,
                                     0x41DFFFFFFFC00000,
                                     0x41DFFFFFFFE00000,
                                     0x43DFFFFFFFFFFFFF};
inline const Values halves = {0,      0x8000, 1,      0x8001, 0x0200, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x0401,
                              0x3C00, 0xBC00, 0x3E00, 0x2E66, 0x4200, 0xC100, 0x3800, 0x4100, 0xB800, 0x3BFF,
                              0x6401, 0x7BFF, 0xFBFF, 0x7800, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7FFF, 0xFFFF,
                              0x7C01, 0x7D23, 0xFC12, 0x7E34, 0x5F00, 0x5F40, 0x1400, 0x0C00, 0x4900, 0xCC00};
inline const Values words = {0,          1,          2,          3,          5,          31,
                             32,         33,         63,         64,         255,        256,
                             0x7FFF,     0x8000,     0xFFFF,     0x10000,    0x00FFFFFF, 0x01000001,
                             0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x12345678,
                             0x87654321, 0x7FFFFF80, 0x7FFFFFBF, 0x1003,     0x1001};
inline const Values other_long_words = {0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x8000000000000001,
                                        0x123456789ABCDEF,  0x3C00BC007E00FC12, 0x3F80BF807FC0FF92,
                                        0x0020000000000001, 0x7FFFFFBFFFFFFFFF, 0x8000020000000001};

// For three.
inline const Values few_singles = {0,          0x80000000, 1,          0x807FFFFF, 0x00800000,
                                   0x3F800000, 0xBFC00000, 0x3DCCCCCD, 0x7F7FFFFF, 0x20000000,
                                   0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F812345};
inline const Values few_other_doubles = {1,
                                         0x800FFFFFFFFFFFFF,
                                         0x0010000000000000,
                                         0x7FEFFFFFFFFFFFFF,
                                         0x7FF0000000000000,
                                         0xFFF0000000000000,
                                         0x7FF8000000000000,
                                         0xFFF8123456789ABC,
                                         0x7FF0123456789ABC,
                                         0x7FFC000000000001};
inline const Values few_halves = {0,      0x8000, 1,      0x83FF, 0x0400, 0x3C00, 0xBE00,
                                  0x2E66, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0xFE12, 0x7C12};
inline const Values few_words = {0,          1,          7,          31,         32,         40,     255,
                                 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678, 0x87654321, 0x5410, 0x0204};

// By the letter of an operand.
inline std::map<char, Values> special_values(bool few) {
  std::map<char, Values> out;
  out['f'] = few ? few_singles : singles;
  out['d'] = few ? doubles_of(few_singles, few_other_doubles) : doubles_of(singles, other_doubles);
  out['h'] = few ? few_halves : halves;
  out['b'] = few ? upper_halves(few_singles, {1, 0x7F81}) : upper_halves(singles, {1, 0x8001, 0x7F81, 0xFF92, 0x7FD2});
  out['i'] = few ? few_words : words;
  out['H'] = pairs_of(out['h']);
  out['B'] = pairs_of(out['b']);
  for (const auto v : words) {
    out['s'].push_back(v & 0xFFFF);
    out['l'].push_back(v);
    out['l'].push_back(static_cast<std::uint64_t>(static_cast<std::int32_t>(v)));
  }
  out['l'].insert(out['l'].end(), other_long_words.begin(), other_long_words.end());
  for (std::uint64_t v = 0; v < 65536; v += 257) out['q'].push_back(v ^ 0x2A00);  // pairs of eight bits
  return out;
}

}  // namespace nvmlkit::test
