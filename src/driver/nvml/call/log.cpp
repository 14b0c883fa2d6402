#include "driver/nvml/call/log.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "driver/nvml/call/arguments.hpp"
#include "driver/nvml/call/call.hpp"
#include "sim/generated/return_codes.hpp"
#include "sim/native/attention.hpp"
#include "sim/state/attention.hpp"

namespace nvmlkit::driver {
namespace {

// A line of bounded length, made without allocation.
class Line {
 public:
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int wanted = std::vsnprintf(text_ + size_, room(), format, arguments);
    va_end(arguments);
    if (wanted > 0) size_ += std::min(static_cast<std::size_t>(wanted), room() - 1);
  }

  void add_text(const char* text, std::size_t length) {
    add("\"");
    for (std::size_t i = 0; i < length && text[i] != '\0'; ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c < 0x20 || c == 0x7f || c == '"' || c == '\\')
        add("\\x%02x", c);
      else
        add("%c", c);
    }
    add("\"");
  }

  void write_to(int file) {
    text_[size_++] = '\n';
    for (std::size_t done = 0; done < size_;) {
      const auto count = ::write(file, text_ + done, size_ - done);
      if (count <= 0) return;
      done += static_cast<std::size_t>(count);
    }
  }

 private:
  std::size_t room() const { return sizeof text_ - 1 - size_; }  // and a place for the end of the line

  char text_[4096];
  std::size_t size_ = 0;
};

std::uint64_t natural(const void* at, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, std::min(size, sizeof value));
  return value;
}

std::int64_t integer(const void* at, std::size_t size) {
  const auto value = natural(at, size);
  const auto shift = 64 - 8 * std::min<std::size_t>(std::max<std::size_t>(size, 1), 8);
  return static_cast<std::int64_t>(value << shift) >> shift;
}

void add_number(Line& line, ArgumentKind kind, const void* at, std::size_t size) {
  switch (kind) {
    case ArgumentKind::integer:
      line.add("%" PRId64, integer(at, size));
      break;
    case ArgumentKind::real: {
      double value = 0;
      std::memcpy(&value, at, std::min(size, sizeof value));
      line.add("%g", value);
      break;
    }
    case ArgumentKind::pointer:
      line.add("0x%" PRIx64, natural(at, size));
      break;
    default:
      line.add("%" PRIu64, natural(at, size));
  }
}

void add_device(Line& line, const void* at) {
  const auto* machine = initialized_machine();
  const auto handle = reinterpret_cast<abi::nvmlDevice_t>(natural(at, sizeof(void*)));
  if (const auto* gpu = machine ? find_gpu(*machine, handle) : nullptr)
    line.add("GPU%zu", static_cast<std::size_t>(gpu - machine->gpus().data()));
  else
    line.add("%p", static_cast<void*>(handle));
}

void add_struct(Line& line, const ArgumentInfo& argument, const std::byte* at) {
  std::size_t limit = argument.limit != 0 ? argument.limit : SIZE_MAX;
  if (argument.versioned) limit = natural(at, 4) & 0xFFFFFF;  // the caller's struct may be an older one
  line.add("{");
  const char* between = "";
  for (const auto& member : members_of(argument)) {
    if (member.offset + std::size_t{member.size} * member.count > limit) break;
    line.add("%s%s=", between, text_at(member.name));
    between = ", ";
    if (member.kind == ArgumentKind::text) {
      line.add_text(reinterpret_cast<const char*>(at) + member.offset, member.count);
      continue;
    }
    constexpr std::uint32_t kMost = 8;
    if (member.count > 1) line.add("[");
    for (std::uint32_t i = 0; i < std::min(member.count, kMost); ++i) {
      if (i > 0) line.add(" ");
      add_number(line, member.kind, at + member.offset + i * member.size, member.size);
    }
    if (member.count > 1) line.add(member.count > kMost ? " ...]" : "]");
  }
  line.add("}");
}

bool is_refused_early(abi::nvmlReturn_t result) {
  return result == abi::NVML_ERROR_UNINITIALIZED || result == abi::NVML_ERROR_INVALID_ARGUMENT ||
         result == abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
}

// `at` is where the argument itself is. What it points to is looked at only if the call had a reason to.
void add_argument(Line& line, const ArgumentInfo& argument, const void* at, abi::nvmlReturn_t result) {
  if (argument.pointers == 0) {
    if (argument.kind == ArgumentKind::device)
      add_device(line, at);
    else
      add_number(line, argument.kind, at, argument.size);
    return;
  }
  const void* target = nullptr;
  std::memcpy(&target, at, sizeof target);
  if (!target) {
    line.add("null");
    return;
  }
  const bool output = argument.role == ArgumentRole::out || argument.role == ArgumentRole::array;
  const bool look = result == abi::NVML_SUCCESS || (!output && !is_refused_early(result));
  if (!look || argument.pointers > 1) {
    line.add("%p", target);
  } else if (argument.kind == ArgumentKind::structure && argument.member_count != 0) {
    add_struct(line, argument, static_cast<const std::byte*>(target));
  } else if (argument.kind == ArgumentKind::text) {
    line.add_text(static_cast<const char*>(target), 1024);
  } else if (argument.kind == ArgumentKind::device && argument.role != ArgumentRole::array) {
    add_device(line, target);
  } else if (argument.role == ArgumentRole::array || argument.kind == ArgumentKind::structure) {
    line.add("%p", target);
  } else {
    add_number(line, argument.kind, target, argument.size);
  }
}

const char* name_of(abi::nvmlReturn_t result) {
  for (const auto& code : sim::return_codes)
    if (code.value == static_cast<std::int32_t>(result)) return code.name.data();
  return "?";
}

void add_value(Line& line, const abi::nvmlFieldValue_t& field) {
  const auto& value = field.value;
  switch (field.valueType) {
    case abi::NVML_VALUE_TYPE_DOUBLE:
      line.add("%g", value.dVal);
      break;
    case abi::NVML_VALUE_TYPE_UNSIGNED_INT:
      line.add("%u", value.uiVal);
      break;
    case abi::NVML_VALUE_TYPE_SIGNED_INT:
      line.add("%d", value.siVal);
      break;
    case abi::NVML_VALUE_TYPE_SIGNED_LONG_LONG:
      line.add("%lld", value.sllVal);
      break;
    case abi::NVML_VALUE_TYPE_UNSIGNED_SHORT:
      line.add("%u", value.usVal);
      break;
    default:
      line.add("%llu", value.ullVal);
  }
}

// The ids and scopes that the caller gave, and each entry's own value or error.
void add_field_values(Line& line, const abi::nvmlFieldValue_t* values, int count, bool with_values,
                      abi::nvmlReturn_t result) {
  constexpr int kMost = 32;  // they fit into a line
  line.add("[");
  for (int i = 0; i < std::min(count, kMost); ++i) {
    line.add("%s{id=%u, scope=%u", i > 0 ? ", " : "", values[i].fieldId, values[i].scopeId);
    if (result == abi::NVML_SUCCESS) line.add(", ");
    if (result == abi::NVML_SUCCESS && (values[i].nvmlReturn != abi::NVML_SUCCESS || !with_values))
      line.add("%s", name_of(values[i].nvmlReturn));
    else if (result == abi::NVML_SUCCESS)
      add_value(line, values[i]);
    line.add("}");
  }
  line.add(count > kMost ? ", ...]" : "]");
}

// A device, a count and the entries: nvmlDeviceGetFieldValues and nvmlDeviceClearFieldValues. False for other calls.
bool add_field_values(Line& line, sim::Symbol symbol, const ArgumentInfo& argument, const void* const* arguments,
                      abi::nvmlReturn_t result) {
  const bool gets = symbol == sim::Symbol::DeviceGetFieldValues;
  if (!gets && symbol != sim::Symbol::DeviceClearFieldValues) return false;
  if (argument.role != ArgumentRole::array || is_refused_early(result)) return false;
  int count = 0;
  const abi::nvmlFieldValue_t* values = nullptr;
  std::memcpy(&count, arguments[1], sizeof count);
  std::memcpy(&values, arguments[2], sizeof values);
  if (values) add_field_values(line, values, count, gets, result);
  return values != nullptr;
}

}  // namespace

int open_log(const char* destination) {
  if (std::strchr(destination, '/') == nullptr) return STDERR_FILENO;
  return open(destination, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
}

void log_call(int file, sim::Symbol symbol, const void* const* arguments, abi::nvmlReturn_t result,
              std::uint64_t nanoseconds) {
  Line line;
  line.add("nvmlkit[%d:%ld] %s(", static_cast<int>(getpid()), syscall(SYS_gettid),
           sim::symbol_names[static_cast<std::size_t>(symbol)].data());
  const char* between = "";
  const auto* at = arguments;
  for (const auto& argument : arguments_of(symbol)) {
    line.add("%s%s=", between, text_at(argument.name));
    if (!add_field_values(line, symbol, argument, arguments, result)) add_argument(line, argument, *at, result);
    ++at;
    between = ", ";
  }
  line.add(") = %s <%.1f us>", name_of(result), static_cast<double>(nanoseconds) / 1000);
  line.write_to(file);
}

}  // namespace nvmlkit::driver
