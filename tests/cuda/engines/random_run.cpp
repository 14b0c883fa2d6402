#include "random_run.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace nvmlkit::test {

namespace {

constexpr std::size_t kBytes = std::size_t{1} << 18, kRead = 16384, kWords = 32768;

std::uint64_t digest(std::span<const std::byte> bytes) {
  std::uint64_t out = 0xCBF29CE484222325u;
  for (const auto byte : bytes) out = (out ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3u;
  return out;
}

}  // namespace

RandomArguments random_arguments(std::uint64_t seed, std::uint64_t data) {
  return {data, 64, static_cast<std::uint32_t>(seed % 7)};
}

// Numbers of all kinds: small ones, large ones, floats.
std::vector<std::byte> random_memory(std::uint64_t seed) {
  std::vector<std::byte> bytes(kBytes);
  for (std::size_t k = 0; k < kRead; ++k) {
    const auto mixed = static_cast<std::uint32_t>((k + seed) * 0x9E3779B97F4A7C15u >> 29);
    const float real = static_cast<float>(static_cast<std::int32_t>(mixed)) / 65536.0f;
    std::uint32_t word = mixed;
    if (k % 16 >= 8) std::memcpy(&word, &real, sizeof word);
    if (k % 5 == 0) word &= 0xFF;
    std::memcpy(bytes.data() + 4 * k, &word, sizeof word);
  }
  return bytes;
}

void print_memory(std::uint64_t seed, std::span<const std::byte> bytes, bool show) {
  std::printf("%" PRIu64 " %016" PRIx64 "\n", seed, digest(bytes));
  for (std::size_t k = kRead; show && k < kWords; ++k) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + 4 * k, sizeof word);
    std::printf("thread %zu word %zu %08x\n", (k - kRead) / 64, (k - kRead) % 64, word);
  }
}

void for_each_seed(int argc, char** argv, void (*run)(std::uint64_t seed, bool show)) {
  const auto first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const auto count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  const bool show = argc > 3 && std::string_view(argv[3]) == "--show";
  for (auto seed = first; seed < first + count; ++seed) run(seed, show);
}

}  // namespace nvmlkit::test
