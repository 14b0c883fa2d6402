#include "driver/cuda/fatbin/entropy.hpp"

namespace nvmlkit::cuda::fatbin {

FseTable FseTable::of(std::span<const short> probabilities, unsigned log) {
  FseTable out;
  out.log = log;
  const std::size_t size = std::size_t{1} << log;
  out.cells.resize(size);
  std::size_t high = size;
  std::vector<std::uint32_t> next(probabilities.size());
  for (std::size_t s = 0; s < probabilities.size(); ++s) {
    next[s] = probabilities[s] < 0 ? 1 : static_cast<std::uint32_t>(probabilities[s]);
    if (probabilities[s] >= 0) continue;
    if (high == 0) throw Malformed{};
    out.cells[--high].symbol = static_cast<std::uint8_t>(s);
  }
  const std::size_t step = (size >> 1) + (size >> 3) + 3;
  std::size_t at = 0;
  for (std::size_t s = 0; s < probabilities.size(); ++s)
    for (int k = 0; k < probabilities[s]; ++k) {
      out.cells[at].symbol = static_cast<std::uint8_t>(s);
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  for (auto& cell : out.cells) {
    const auto state = next[cell.symbol]++;
    if (state == 0) throw Malformed{};
    cell.bits = static_cast<std::uint8_t>(log - static_cast<unsigned>(std::bit_width(state) - 1));
    cell.base = static_cast<std::uint16_t>((state << cell.bits) - size);
  }
  return out;
}

FseTable FseTable::of_one(std::uint8_t symbol) {
  FseTable out;
  out.cells.push_back({symbol, 0, 0});
  return out;
}

FseTable FseTable::read(Bytes in, unsigned most_log, unsigned most_symbols, std::size_t& taken) {
  ForwardBits bits(in);
  const unsigned log = bits.take(4) + 5;
  if (log > most_log) throw Malformed{};
  int remaining = (1 << log) + 1;
  std::vector<short> probabilities;
  while (remaining > 1 && probabilities.size() < most_symbols) {
    const auto width = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(remaining)));
    const int threshold = 1 << (width - 1);
    const int few = 2 * threshold - 1 - remaining;  // values that take a bit less
    int value = static_cast<int>(bits.peek(width - 1));
    if (value < few) {
      bits.skip(width - 1);
    } else {
      value = static_cast<int>(bits.take(width));
      if (value >= threshold) value -= few;
    }
    const int probability = value - 1;
    remaining -= probability < 0 ? 1 : probability;
    probabilities.push_back(static_cast<short>(probability));
    if (probability != 0) continue;
    unsigned more = 0;
    do {
      more = bits.take(2);
      probabilities.insert(probabilities.end(), more, 0);
    } while (more == 3 && probabilities.size() < most_symbols);
  }
  if (remaining != 1 || probabilities.size() > most_symbols) throw Malformed{};
  taken = bits.bytes_taken();
  return of(probabilities, log);
}

HuffmanTable HuffmanTable::of(std::vector<std::uint8_t> weights) {
  std::uint32_t sum = 0;
  for (const auto w : weights) {
    if (w > 11) throw Malformed{};
    sum += w ? 1u << (w - 1) : 0;
  }
  if (sum == 0 || weights.size() > 255) throw Malformed{};
  HuffmanTable out;
  out.log = static_cast<unsigned>(std::bit_width(sum));
  const auto rest = (1u << out.log) - sum;
  if (out.log > 11 || !std::has_single_bit(rest)) throw Malformed{};
  weights.push_back(static_cast<std::uint8_t>(std::bit_width(rest)));
  out.cells.resize(std::size_t{1} << out.log);
  std::size_t at = 0;
  for (unsigned w = 1; w <= out.log; ++w)
    for (std::size_t s = 0; s < weights.size(); ++s) {
      if (weights[s] != w) continue;
      for (std::size_t k = 0; k < std::size_t{1} << (w - 1); ++k) {
        if (at >= out.cells.size()) throw Malformed{};
        out.cells[at++] = {static_cast<std::uint8_t>(s), static_cast<std::uint8_t>(out.log + 1 - w)};
      }
    }
  if (at != out.cells.size()) throw Malformed{};
  return out;
}

HuffmanTable HuffmanTable::read(Bytes in, std::size_t& taken) {
  const auto header = static_cast<std::size_t>(little_endian(in, 0, 1));
  std::vector<std::uint8_t> weights;
  if (header >= 128) {
    const auto count = header - 127;
    taken = 1 + (count + 1) / 2;
    for (std::size_t k = 0; k < count; ++k) {
      const auto pair = little_endian(in, 1 + k / 2, 1);
      weights.push_back(static_cast<std::uint8_t>(k % 2 ? pair & 15 : pair >> 4));
    }
    return of(std::move(weights));
  }
  taken = 1 + header;
  if (taken > in.size()) throw Malformed{};
  const auto coded = in.subspan(1, header);
  std::size_t table_size = 0;
  const auto table = FseTable::read(coded, 6, 256, table_size);
  BackwardBits bits(coded.subspan(table_size));
  FseState one(table, bits), two(table, bits);
  // Two states take turns, until the bits are used up.
  while (weights.size() < 255) {
    weights.push_back(one.symbol());
    one.next(bits);
    if (bits.left() < 0) {
      weights.push_back(two.symbol());
      break;
    }
    weights.push_back(two.symbol());
    two.next(bits);
    if (bits.left() < 0) {
      weights.push_back(one.symbol());
      break;
    }
  }
  return of(std::move(weights));
}

void HuffmanTable::decode(Bytes stream, std::size_t count, std::string& out) const {
  BackwardBits bits(stream);
  auto window = bits.take(log);
  for (std::size_t k = 0; k < count; ++k) {
    const auto& cell = cells[window & (cells.size() - 1)];
    out += static_cast<char>(cell.symbol);
    window = window << cell.bits | bits.take(cell.bits);
  }
  if (bits.left() != -static_cast<std::int64_t>(log)) throw Malformed{};
}

}  // namespace nvmlkit::cuda::fatbin
