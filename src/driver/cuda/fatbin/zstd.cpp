#include "driver/cuda/fatbin/zstd.hpp"

#include <iterator>

#include "driver/cuda/fatbin/entropy.hpp"

namespace nvmlkit::cuda::fatbin {
namespace {

constexpr short kLiteralLengths[] = {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                     2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
constexpr short kMatchLengths[] = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
constexpr short kOffsets[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                              1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

// What a code of a length stands for: a least value, and bits that are added.
struct Code {
  std::uint32_t base;
  std::uint8_t bits;
};
constexpr Code literal_length(unsigned code) {
  constexpr Code kLong[] = {{16, 1},    {18, 1},    {20, 1},    {22, 1},     {24, 2},     {28, 2},    {32, 3},
                            {40, 3},    {48, 4},    {64, 6},    {128, 7},    {256, 8},    {512, 9},   {1024, 10},
                            {2048, 11}, {4096, 12}, {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16}};
  return code < 16 ? Code{code, 0} : kLong[code - 16];
}
constexpr Code match_length(unsigned code) {
  constexpr Code kLong[] = {{35, 1},    {37, 1},    {39, 1},    {41, 1},    {43, 2},     {47, 2},     {51, 3},
                            {59, 3},    {67, 4},    {83, 4},    {99, 5},    {131, 7},    {259, 8},    {515, 9},
                            {1027, 10}, {2051, 11}, {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16}};
  return code < 32 ? Code{code + 3, 0} : kLong[code - 32];
}

class Frame {
 public:
  Frame(Bytes in, std::size_t size) : in_(in), size_(size) { out_.reserve(size); }

  std::string run() {
    if (number(4) != 0xFD2FB528) throw Malformed{};
    const auto descriptor = static_cast<unsigned>(number(1));
    const bool single = descriptor & 0x20;
    if (descriptor & 0x0B) throw Malformed{};  // a dictionary, or a reserved bit
    if (!single) number(1);
    constexpr std::size_t kSizes[] = {0, 2, 4, 8};
    const auto field = descriptor >> 6;
    number(field == 0 && single ? 1 : kSizes[field]);
    bool last = false;
    while (!last) {
      const auto header = static_cast<std::uint32_t>(number(3));
      last = header & 1;
      const std::size_t length = header >> 3;
      switch (header >> 1 & 3) {
        case 0:
          append(take(length));
          break;
        case 1:
          if (length > size_ - out_.size()) throw Malformed{};
          out_.append(length, static_cast<char>(number(1)));
          break;
        case 2:
          block(take(length));
          break;
        default:
          throw Malformed{};
      }
    }
    return std::move(out_);
  }

 private:
  std::uint64_t number(std::size_t size) {
    const auto out = little_endian(in_, at_, size);
    at_ += size;
    return out;
  }
  Bytes take(std::size_t size) {
    if (size > in_.size() - at_) throw Malformed{};
    at_ += size;
    return in_.subspan(at_ - size, size);
  }
  void append(Bytes bytes) {
    if (bytes.size() > size_ - out_.size()) throw Malformed{};
    out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  std::string literals(Bytes in, std::size_t& taken) {
    const auto first = little_endian(in, 0, 1);
    const auto type = first & 3, format = first >> 2 & 3;
    if (type < 2) {
      const std::size_t header = format == 1 ? 2 : format == 3 ? 3 : 1;
      const auto size = static_cast<std::size_t>(little_endian(in, 0, header) >> (header == 1 ? 3 : 4));
      if (size > size_) throw Malformed{};
      if (type == 1) {
        taken = header + 1;
        return std::string(size, static_cast<char>(little_endian(in, header, 1)));
      }
      if (size > in.size() - header) throw Malformed{};
      taken = header + size;
      return {reinterpret_cast<const char*>(in.data()) + header, size};
    }
    const std::size_t header = format < 2 ? 3 : format == 2 ? 4 : 5;
    const unsigned width = format < 2 ? 10 : format == 2 ? 14 : 18;
    const auto sizes = little_endian(in, 0, header) >> 4;
    const auto size = static_cast<std::size_t>(sizes & ((1u << width) - 1));
    const auto packed = static_cast<std::size_t>(sizes >> width & ((1u << width) - 1));
    if (packed > in.size() - header || size > size_) throw Malformed{};
    taken = header + packed;
    auto streams = in.subspan(header, packed);
    if (type == 2) {
      std::size_t tree = 0;
      huffman_ = HuffmanTable::read(streams, tree);
      if (tree > streams.size()) throw Malformed{};
      streams = streams.subspan(tree);
    }
    if (!huffman_.is_there()) throw Malformed{};
    std::string out;
    if (format == 0) {
      huffman_.decode(streams, size, out);
      return out;
    }
    std::size_t at = 6;
    const auto quarter = (size + 3) / 4;
    if (size < 3 * quarter) throw Malformed{};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto rest = streams.size() < at ? 0 : streams.size() - at;
      const auto length = k < 3 ? static_cast<std::size_t>(little_endian(streams, 2 * k, 2)) : rest;
      if (length > rest) throw Malformed{};
      huffman_.decode(streams.subspan(at, length), k < 3 ? quarter : size - 3 * quarter, out);
      at += length;
    }
    return out;
  }

  // The table of a kind of code, as its mode says.
  void table(FseTable& kept, unsigned mode, Bytes in, std::size_t& at, std::span<const short> known, unsigned known_log,
             unsigned most_log, unsigned most_symbols) {
    if (mode == 0) {
      kept = FseTable::of(known, known_log);
    } else if (mode == 1) {
      const auto symbol = little_endian(in, at++, 1);
      if (symbol >= most_symbols) throw Malformed{};
      kept = FseTable::of_one(static_cast<std::uint8_t>(symbol));
    } else if (mode == 2) {
      if (at > in.size()) throw Malformed{};
      std::size_t taken = 0;
      kept = FseTable::read(in.subspan(at), most_log, most_symbols, taken);
      at += taken;
    } else if (!kept.is_there()) {
      throw Malformed{};
    }
  }

  void block(Bytes in) {
    std::size_t at = 0;
    const auto text = literals(in, at);
    auto count = static_cast<std::size_t>(little_endian(in, at++, 1));
    if (count == 0) return append(std::as_bytes(std::span(text)));
    if (count == 255) {
      count = static_cast<std::size_t>(little_endian(in, at, 2)) + 0x7F00;
      at += 2;
    } else if (count > 127) {
      count = (count - 128) << 8 | static_cast<std::size_t>(little_endian(in, at++, 1));
    }
    const auto modes = static_cast<unsigned>(little_endian(in, at++, 1));
    table(lengths_, modes >> 6, in, at, kLiteralLengths, 6, 9, 36);
    table(offsets_, modes >> 4 & 3, in, at, kOffsets, 5, 8, 32);
    table(matches_, modes >> 2 & 3, in, at, kMatchLengths, 6, 9, 53);
    if (at > in.size()) throw Malformed{};
    BackwardBits bits(in.subspan(at));
    FseState length(lengths_, bits), offset(offsets_, bits), match(matches_, bits);
    std::size_t used = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto offset_code = offset.symbol();
      const auto match_code = match_length(match.symbol());
      const auto length_code = literal_length(length.symbol());
      const auto value = (std::uint64_t{1} << offset_code) + bits.take(offset_code);
      const auto match_size = static_cast<std::size_t>(match_code.base + bits.take(match_code.bits));
      const auto literal_size = static_cast<std::size_t>(length_code.base + bits.take(length_code.bits));
      if (k + 1 < count) {
        length.next(bits);
        match.next(bits);
        offset.next(bits);
      }
      if (bits.left() < 0 || literal_size > text.size() - used) throw Malformed{};
      append(std::as_bytes(std::span(text)).subspan(used, literal_size));
      used += literal_size;
      repeat(static_cast<std::size_t>(distance(value, literal_size == 0)), match_size);
    }
    append(std::as_bytes(std::span(text)).subspan(used));
  }

  // Small values mean one of the last three distances.
  std::uint64_t distance(std::uint64_t value, bool without_literals) {
    std::uint64_t out = 0;
    if (value > 3) {
      out = value - 3;
      last_[2] = last_[1];
      last_[1] = last_[0];
      return last_[0] = out;
    }
    const auto index = value - 1 + (without_literals ? 1 : 0);
    out = index == 3 ? last_[0] - 1 : last_[index];
    if (index > 1) last_[2] = last_[1];
    if (index > 0) last_[1] = last_[0];
    return last_[0] = out;
  }

  void repeat(std::size_t back, std::size_t size) {
    if (back == 0 || back > out_.size() || size > size_ - out_.size()) throw Malformed{};
    for (std::size_t k = 0; k < size; ++k) out_ += out_[out_.size() - back];
  }

  Bytes in_;
  std::size_t size_;
  std::size_t at_ = 0;
  std::string out_;
  HuffmanTable huffman_;
  FseTable lengths_, offsets_, matches_;
  std::uint64_t last_[3] = {1, 4, 8};
};

}  // namespace

std::optional<std::string> unpack_zstd(std::span<const std::byte> packed, std::size_t size) {
  try {
    auto out = Frame(packed, size).run();
    if (out.size() == size) return out;
  } catch (const Malformed&) {
  }
  return std::nullopt;
}

}  // namespace nvmlkit::cuda::fatbin
