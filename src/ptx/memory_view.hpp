// A kernel's view of memory, and the errors of an access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace nvmlkit::ptx {

// Of a byte of which all bits were written, for a sanitizer; a bit for each otherwise.
inline constexpr int kWritten = 0xFF;

// An allocation: addresses as programs know them, and where its bytes lie.
struct Region {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::byte* bytes = nullptr;
  std::shared_ptr<const void> holder;  // the bytes stay while it lives
  bool is_read_only = false;
  std::byte* written =
      nullptr;  // of a sanitizer: a byte for each, 0 until something writes it, then kWritten; null: not watched
};

// What a kernel reads from a texture.
struct Lookup {
  enum class Level : std::uint8_t { base, given, by_gradients };
  std::uint64_t texture = 0;
  unsigned dimensions = 1;
  bool is_cube = false;                       // the coordinates are a direction
  bool is_layered = false, by_index = false;  // coordinates are numbers of texels
  Level level = Level::base;                  // of a mipmap
  float lod = 0;
  float gradients[2][3] = {};  // what coordinates change by, to the right and down
  int gathered = -1;           // the component that four neighbours give, or -1: filtered
  float at[3] = {};
  std::int32_t index[3] = {};
  std::uint32_t layer = 0;
};

// Four components, as they lie in registers.
struct Sampled {
  std::uint32_t bits[4];
};

// A read of one texture by lanes of a warp, at the base level. The coordinates of all 32 lie side by side.
struct LookupRow {
  std::uint64_t texture = 0;
  unsigned dimensions = 1;
  std::uint32_t lanes = 0;  // that read
  const float* at[3] = {};
  const std::uint32_t* index = nullptr;  // or: numbers of texels, in one dimension; one below 0 is outside
};

// What they get. Further components are 0.
struct SampledRow {
  static constexpr unsigned kLanes = 32;
  unsigned components = 1;
  std::uint32_t bits[4][kLanes];
};

// Memory of the device and what of the host the device may reach. The driver implements it.
class GlobalMemory {
 public:
  virtual ~GlobalMemory() = default;
  // False where nothing is.
  virtual bool find(std::uint64_t address, Region& region) = 0;
  // The heap of device code; 0 when it is full.
  virtual std::uint64_t allocate(std::uint64_t size) = 0;
  // False where no memory of that heap begins.
  virtual bool release(std::uint64_t address) = 0;
  // What cudaGraphSetConditional sets, for nodes of graphs.
  virtual void set_condition(std::uint64_t, std::uint32_t) {}
  // As many as it could read. The next one has no texture, or one of another shape.
  virtual std::size_t sample(std::span<const Lookup>, Sampled*) { return 0; }
  // False: this texture needs a lookup for each lane.
  virtual bool sample_row(const LookupRow&, SampledRow&) { return false; }
  // `size` bytes of a surface, at so many bytes from the left, or null; with `clamps`, those at the edge for what lies
  // outside. False: no surface.
  virtual bool surface(std::uint64_t, const std::int32_t[3], std::size_t, bool, std::byte*&) { return false; }
};

struct Function;

// What device code asks about its device and its errors. The driver answers.
class DeviceQuestions {
 public:
  virtual ~DeviceQuestions() = default;
  virtual int device() = 0;
  virtual int device_count() = 0;
  // Numbers as the runtime has them; false for what there is not.
  virtual bool attribute(int which, int device, int& value) = 0;
  virtual bool limit(int which, std::uint64_t& value) = 0;
  virtual int blocks_on_multiprocessor(const Function& kernel, int threads, std::uint64_t dynamic_shared) = 0;
  virtual const char* error_name(int error) = 0;
  virtual const char* error_text(int error) = 0;
};

enum class FaultKind : std::uint8_t {
  none,
  illegal_address,
  misaligned_address,
  illegal_instruction,  // a jump to what is no function
  stack_overflow,
  assertion,
  trap,
  not_simulated,  // an instruction of PTX without a simulation
  deadlock,       // every thread waits at a barrier that the others never reach
  stopped,        // from outside
  lanes_ended,    // some lanes only, by a check; no fault of a launch
};

}  // namespace nvmlkit::ptx
