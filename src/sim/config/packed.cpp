#include "sim/config/packed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace nvmlkit::sim::config {
namespace {

// A packed machine is the host, the call rules, GPU 0, and for each further GPU the difference to GPU 0. Each of these
// is a list of pieces: size, distance from the piece before, bytes. A size of 0 ends the list.
constexpr std::size_t kLongestGap = 2;  // a new piece takes as much room

std::span<std::byte> bytes_of(model::Machine& host) { return std::as_writable_bytes(std::span(&host, 1)); }
std::span<std::byte> bytes_of(model::Gpu& gpu) { return std::as_writable_bytes(std::span(&gpu, 1)); }
std::span<std::byte> bytes_of(calls::Rules& rules) { return {reinterpret_cast<std::byte*>(&rules), sizeof rules}; }

void add_number(std::string& out, std::size_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// What `bytes` have that `base`, or zero bytes, do not.
void add_pieces(std::string& out, std::span<const std::byte> bytes, std::span<const std::byte> base = {}) {
  const auto differs = [&](std::size_t i) { return bytes[i] != (base.empty() ? std::byte{0} : base[i]); };
  std::size_t done = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!differs(i)) continue;
    std::size_t end = i + 1;  // after the last byte that differs
    for (std::size_t k = end; k < bytes.size() && k - end <= kLongestGap; ++k)
      if (differs(k)) end = k + 1;
    add_number(out, end - i);
    add_number(out, i - done);
    out.append(reinterpret_cast<const char*>(&bytes[i]), end - i);
    done = i = end;
  }
  add_number(out, 0);
}

class Pieces {
 public:
  explicit Pieces(std::string_view bytes) : at_(bytes.data()) {}

  const char* place() const { return at_; }
  void go_to(const char* place) { at_ = place; }

  void write(std::span<std::byte> target) {
    std::size_t done = 0;
    while (const std::size_t size = number()) {
      done += number();
      std::memcpy(&target[done], at_, size);
      at_ += size;
      done += size;
    }
  }

 private:
  std::size_t number() {
    std::size_t out = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      out |= std::size_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return out;
    }
  }

  const char* at_;
};

}  // namespace

const PackedMachine* find_packed_machine(std::string_view name) {
  const auto all = list_packed_machines();
  const auto at = std::find_if(all.begin(), all.end(), [&](const PackedMachine& m) { return m.name == name; });
  return at != all.end() ? &*at : nullptr;
}

std::string pack(const Machine& machine) {
  std::string out;
  const auto gpus = machine.gpus();
  add_pieces(out, std::as_bytes(std::span(&machine.host(), 1)));
  add_pieces(out, bytes_of(machine.call_rules()));
  for (std::size_t i = 0; i < gpus.size(); ++i)
    add_pieces(out, std::as_bytes(gpus.subspan(i, 1)), std::as_bytes(gpus.first(i != 0 ? 1 : 0)));
  return out;
}

std::unique_ptr<Machine> unpack(const PackedMachine& packed) {
  auto machine = Machine::create(packed.gpus);
  if (!machine) throw std::bad_alloc();
  Pieces pieces(packed.bytes);
  pieces.write(bytes_of(machine->host()));
  pieces.write(bytes_of(machine->call_rules()));
  const char* const first = pieces.place();
  const char* next = first;
  for (auto& gpu : machine->gpus()) {
    pieces.go_to(first);
    pieces.write(bytes_of(gpu));
    if (next == first) {
      next = pieces.place();
      continue;
    }
    pieces.go_to(next);
    pieces.write(bytes_of(gpu));
    next = pieces.place();
  }
  return machine;
}

}  // namespace nvmlkit::sim::config
