// What the code of a function depends on.
#include <dlfcn.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "code_cache/build_id.hpp"
#include "code_cache/digest.hpp"
#include "code_cache/files.hpp"
#include "ptx/compile/library.hpp"
#include "ptx/compile/linked.hpp"
#include "ptx/compile/plan.hpp"
#include "ptx/module.hpp"

namespace nvmlkit::ptx {
namespace {

class Content {
 public:
  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Content& operator<<(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Content& operator<<(Operand value) { return *this << value.packed; }
  Content& operator<<(std::string_view value) {
    *this << value.size();
    bytes_ += value;
    return *this;
  }
  template <typename T>
  Content& operator<<(const std::vector<T>& values) {
    *this << values.size();
    for (const auto& value : values) *this << value;
    return *this;
  }
  Content& operator<<(const std::vector<std::byte>& values) {
    return *this << std::string_view(reinterpret_cast<const char*>(values.data()), values.size());
  }
  // All but its number, its handler, which lies elsewhere in each process, and its line.
  Content& operator<<(const Instruction& i) {
    *this << i.d << i.d2 << i.a << i.b << i.c << i.guard;
    return *this << i.guard_negated << i.writes << i.kind << i.space << i.wide_address << i.local_base << i.flag
                 << i.count << i.detail << i.side;
  }
  Content& operator<<(const Meaning& m) {
    return *this << m.op << m.types[0] << m.types[1] << m.relation << m.change << m.words << m.rounding;
  }
  Content& operator<<(const Access& a) { return *this << a.at << a.offset << a.size << a.writes << a.replaces; }
  Content& operator<<(const Span& s) { return *this << s.offset << s.size; }
  Content& operator<<(const CallSite& c) { return *this << c.builtin << c.arguments << c.results; }
  Content& operator<<(const Variable& v) { return *this << v.space << v.type << v.size << v.align << v.offset; }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

bool add_build(Content& out, const char* path) {
  const auto id = code_cache::build_id_of(path);
  out << std::string_view(id);
  return !id.empty();
}

// What the compiler asks the processor, or its kernel, and some more. A number that differs from core to core is left
// out.
void add_processor(Content& out) {
#if defined(__x86_64__)
  bool has_state = false;
  for (const auto& [leaf, part] : {std::pair{0u, 0u},
                                   {1u, 0u},
                                   {7u, 0u},
                                   {7u, 1u},
                                   {0xDu, 1u},
                                   {0x14u, 0u},
                                   {0x19u, 0u},
                                   {0x24u, 0u},
                                   {0x80000001u, 0u},
                                   {0x80000008u, 0u}}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, part, &a, &b, &c, &d) == 0) continue;
    if (leaf == 1) b = 0, has_state = (c & bit_OSXSAVE) != 0;
    out << leaf << a << b << c << d;
  }
  unsigned low = 0, high = 0;
  if (has_state) {
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    out << low;
  }
#elif defined(__aarch64__)
  out << getauxval(AT_HWCAP) << getauxval(AT_HWCAP2);
#else
  (void)out;
#endif
}

// The same for all functions of the process. Empty: a library does not say which build it is of.
const std::string& place_of_process() {
  static const auto* const the = [] {
    Content out;
    out << kCompilerVersion;
    Dl_info own{};
    if (!add_build(out, path_of_compiler().c_str()) || dladdr(reinterpret_cast<const void*>(&plan_key), &own) == 0 ||
        !own.dli_fname || !add_build(out, own.dli_fname))
      return new std::string;
    add_processor(out);
    const char* const vectors = std::getenv("NVMLKIT_CUDA_VECTORS");
    out << std::string_view(vectors ? vectors : "");
    return new std::string(out.bytes());
  }();
  return *the;
}

// Addresses of variables from the start of their image on.
std::vector<std::byte> constants_of(const Function& function) {
  auto out = function.constants;
  for (const auto start : function.image_constants)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      std::uint64_t value = 0;
      auto* const at = out.data() + start + lane * sizeof value;
      std::memcpy(&value, at, sizeof value);
      value -= function.image_address;
      std::memcpy(at, &value, sizeof value);
    }
  return out;
}
std::vector<std::uint64_t> numbers_of(const Function& function) {
  std::vector<std::uint64_t> out;
  for (const auto& i : function.code) out.push_back(i.immediate);
  for (const auto at : function.image_instructions) out[at] -= function.image_address;
  return out;
}

struct Folder {
  std::mutex mutex;
  std::unique_ptr<code_cache::Files> files = code_cache::Files::open();
};
Folder& folder() {
  static auto* const the = new Folder;
  return *the;
}

}  // namespace

std::string plan_key(const Function& function) {
  if (!kCanLink || !folder().files || place_of_process().empty()) return {};
  Content out;
  out << std::string_view(place_of_process()) << function.is_entry << function.code << numbers_of(function)
      << constants_of(function) << function.image_instructions << function.image_constants << function.operands
      << function.meanings << function.accesses << function.calls << function.tables << function.parameters
      << function.results << function.register_bytes << function.local_bytes << function.frame_param_bytes
      << function.kernel_param_bytes << function.shared_bytes << function.shared_spans << function.calls_by_address
      << function.values_of_block;
  return "plan-" + code_cache::digest_of(out.bytes());
}

std::optional<std::string> kept_file(const std::string& name) {
  return folder().files ? folder().files->find(name) : std::nullopt;
}

void keep_file(const std::string& name, std::string_view content) {
  if (!folder().files) return;
  const std::scoped_lock lock(folder().mutex);
  folder().files->keep(name, content);
}

}  // namespace nvmlkit::ptx
