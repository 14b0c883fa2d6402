#include "sim/model/pci_bus_id.hpp"

#include <charconv>

namespace nvmlkit::sim::model {
namespace {

bool read_hex(std::string_view text, std::size_t max_digits, std::uint32_t highest, std::uint32_t& out) {
  if (text.empty() || text.size() > max_digits) return false;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
  return error == std::errc() && stop == text.data() + text.size() && out <= highest;
}

char* write_hex(char* out, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) *out++ = "0123456789ABCDEF"[(value >> shift) & 0xF];
  return out;
}

}  // namespace

std::optional<PciBusId> parse_pci_bus_id(std::string_view text) {
  PciBusId id;
  if (const auto dot = text.rfind('.'); dot != std::string_view::npos) {
    if (!read_hex(text.substr(dot + 1), 1, 7, id.function)) return std::nullopt;
    text = text.substr(0, dot);
  }
  const auto last = text.rfind(':');
  if (last == std::string_view::npos || !read_hex(text.substr(last + 1), 2, 0x1F, id.device)) return std::nullopt;
  text = text.substr(0, last);
  const auto first = text.rfind(':');
  if (first != std::string_view::npos) {
    if (!read_hex(text.substr(0, first), 8, 0xFFFFFFFF, id.domain)) return std::nullopt;
    text = text.substr(first + 1);
  }
  if (!read_hex(text, 2, 0xFF, id.bus)) return std::nullopt;
  return id;
}

std::string_view format_pci_bus_id(const PciBusId& id, int domain_digits, char* out) {
  char* end = write_hex(out, id.domain, id.domain > 0xFFFF ? 8 : domain_digits);
  *end++ = ':';
  end = write_hex(end, id.bus, 2);
  *end++ = ':';
  end = write_hex(end, id.device, 2);
  *end++ = '.';
  end = write_hex(end, id.function, 1);
  *end = '\0';
  return {out, static_cast<std::size_t>(end - out)};
}

}  // namespace nvmlkit::sim::model
