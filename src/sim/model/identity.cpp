#include "sim/model/identity.hpp"

#include <cstdio>

namespace nvmlkit::sim {

// FNV-1a with a good mixer behind it; the values have to be stable, not secret.
std::uint64_t identity_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t h = 0xCBF29CE484222325ull ^ (seed * 0x9E3779B97F4A7C15ull);
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  return h ^ (h >> 31);
}

model::Text<80> derived_uuid(std::string_view model_name, std::uint32_t index) {
  const std::uint64_t a = identity_hash(model_name, 2 * std::uint64_t{index} + 1),
                      b = identity_hash(model_name, 2 * std::uint64_t{index} + 2);
  char text[41];
  std::snprintf(text, sizeof(text), "GPU-%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>((a >> 16) & 0xFFFF), static_cast<unsigned>(a & 0xFFFF),
                static_cast<unsigned>(b >> 48), static_cast<unsigned long long>(b & 0xFFFFFFFFFFFFull));
  return model::Text<80>(std::string_view(text));
}

std::string seeded(std::string_view text, std::string_view seed) {
  std::string out(text);
  if (!seed.empty()) out.append(1, '\0').append(seed);
  return out;
}

std::string seeded_serial(std::string_view serial, std::string_view seed) {
  constexpr std::size_t kProductDigits = 4;
  std::string out(serial);
  if (seed.empty()) return out;
  auto rest = identity_hash(seeded(serial, seed), 0);
  for (auto i = out.size(); i > kProductDigits && out[i - 1] >= '0' && out[i - 1] <= '9'; --i, rest /= 10)
    out[i - 1] = static_cast<char>('0' + rest % 10);
  return out;
}

std::string serial_after(std::string_view serial, std::uint32_t steps) {
  std::string out(serial);
  std::uint64_t carry = steps;
  for (auto digit = out.rbegin(); digit != out.rend() && *digit >= '0' && *digit <= '9' && carry > 0; ++digit) {
    carry += static_cast<std::uint64_t>(*digit - '0');
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  return out;
}

}  // namespace nvmlkit::sim
