#include "questions.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

namespace nvmlkit::driver_test {
namespace {

using contract::Argument;
using contract::Contract;
using contract::Protocol;
using Values = std::vector<std::uintptr_t>;

constexpr int kSuccess = 0;
constexpr std::size_t kRefusedExtent = 64;
constexpr std::size_t kRoom = 1 << 16;          // behind each pointer
constexpr std::uint32_t kElements = 1024;       // what a list is said to have room for
constexpr std::uintptr_t kLength = 96;          // of strings and sets
constexpr std::uintptr_t kMost = 32;            // values that are tried for an argument
constexpr std::uintptr_t kSomeVgpuType = 1139;  // H100XM-8C

constexpr unsigned char kPattern = 0xA5;
alignas(16) unsigned char buffers_of[2][6][kRoom];

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool is_getter(const Contract& contract) {
  const std::string_view name = contract.name;
  // Asked elsewhere, with arguments that only these have.
  constexpr std::string_view kOthers[] = {"nvmlDeviceGetFieldValues", "nvmlDeviceGetSamples",
                                          "nvmlGpmMetricsGet",        "nvmlGpmSampleGet",
                                          "nvmlGpmMigSampleGet",      "nvmlInternalGetExportTable"};
  if (std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers)) return false;
  if (contract.protocol == Protocol::create || contract.protocol == Protocol::destroy ||
      contract.protocol == Protocol::set || contract.protocol == Protocol::wait)
    return false;
  return contains(name, "Get") || contains(name, "Query") || contains(name, "Validate") ||
         name == "nvmlDeviceIsMigDeviceHandle";
}

bool is_pointer(const Argument& argument) { return argument.kind >= Argument::length_pointer; }
bool is_key(const Argument& argument) {
  return argument.kind == Argument::pointer && argument.is_const && argument.size == 1;
}

Values numbers() {
  Values out;
  for (std::uintptr_t i = 0; i < kMost; ++i) out.push_back(i);
  return out;
}

// What an argument may be; one value where there is nothing to choose.
Values candidates(const Argument& argument, const Subjects& subjects) {
  const auto some = [](const Values& values, std::uintptr_t otherwise) {
    return values.empty() ? Values{otherwise} : values;
  };
  const std::string_view name = argument.name;
  switch (argument.kind) {
    case Argument::device:
      return subjects.devices;
    case Argument::other_device:
      return {subjects.gpus.back()};
    case Argument::foreign:
      return some(name == "gpuInstance"       ? subjects.gpu_instances
                  : name == "computeInstance" ? subjects.compute_instances
                                              : subjects.units,
                  0);
    case Argument::vgpu_type:
      return some(subjects.vgpu_types, kSomeVgpuType);
    case Argument::length_value:
      return {kLength};
    case Argument::enumeration:
      return numbers();
    case Argument::value:
      if (name == "lastSeenTimeStamp" || name == "cpuNumber") return {0};
      if (name == "pid") return {static_cast<std::uintptr_t>(getpid())};
      if (name == "vgpuTypeId") return some(subjects.vgpu_types, kSomeVgpuType);
      if (contains(name, "emoryClock")) return some(subjects.memory_clocks, 0);
      return numbers();
    default:
      return {0};
  }
}

// Objects are never tried out: each is asked about.
bool is_tried(const Argument& argument) {
  return argument.kind == Argument::enumeration || argument.kind == Argument::value;
}

}  // namespace

Questions::Questions(void* library, const Subjects& subjects) {
  for (const auto& contract : contract::contracts())
    if (is_getter(contract)) {
      ++functions_;
      plan(contract, dlsym(library, contract.name), subjects);
    }
}

void Questions::plan(const Contract& contract, void* function, const Subjects& subjects) {
  const auto count = contract.arguments.size();
  std::vector<Values> choices;
  bool by_key = false;
  for (const auto& argument : contract.arguments) {
    choices.push_back(candidates(argument, subjects));
    by_key = by_key || is_key(argument);
  }
  std::vector<const std::string*> keys;
  if (by_key)
    for (const auto& key : subjects.keys) keys.push_back(&key);
  else
    keys.push_back(nullptr);
  const auto versions = contract.versions.empty() ? std::vector<std::uint32_t>{0} : contract.versions;

  std::vector<std::size_t> at(count, 0);
  std::set<int> refusals;  // each is asked for once of the same objects
  for (bool more = true; more;) {
    for (const auto* key : keys)
      for (const auto version : versions) {
        Question question{&contract, function, {}, {}, key, version, 0};
        for (std::size_t i = 0; i < count; ++i) question.values[i] = choices[i][at[i]];
        for (std::size_t i = 0; i < count; ++i)
          question.extents[i] = contract.arguments[i].size != 0 ? contract.arguments[i].size : kRoom;
        question.known = run(question, 0);
        if (question.known != kSuccess && !refusals.insert(question.known).second) continue;
        measure(question);
        // Who refuses writes no more than a count.
        if (question.known != kSuccess)
          for (auto& extent : question.extents) extent = std::min(extent, kRefusedExtent);
        questions_.push_back(question);
      }
    more = false;
    for (std::size_t i = count; i-- > 0 && !more;) {
      more = ++at[i] < choices[i].size();
      if (!more) at[i] = 0;
      if (!is_tried(contract.arguments[i]) && choices[i].size() > 1) refusals.clear();
    }
  }
}

// How much of a buffer without a size is the function's: what it changes whatever stood there, and room to grow.
void Questions::measure(Question& question) const {
  const auto& arguments = question.contract->arguments;
  const auto open = [&](std::size_t i) { return is_pointer(arguments[i]) && arguments[i].size == 0; };
  auto other = question;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!open(i)) continue;
    std::memset(buffers_of[1][i], kPattern, kRoom);
    other.extents[i] = 0;
  }
  run(other, 1);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!open(i)) continue;
    std::size_t written = kRoom;
    while (written > 0 && buffers_of[0][i][written - 1] == 0 && buffers_of[1][i][written - 1] == kPattern) --written;
    question.extents[i] = std::min(kRoom, written * 4 + 64);
    std::memset(buffers_of[0][i], 0, kRoom);
    std::memset(buffers_of[1][i], 0, kRoom);
  }
}

// All arguments are integers or pointers, which the calling convention passes alike.
int Questions::run(const Question& question, std::size_t buffers) const {
  const auto& arguments = question.contract->arguments;
  auto values = question.values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_pointer(arguments[i])) continue;
    auto* const buffer = buffers_of[buffers][i];
    std::memset(buffer, 0, question.extents[i]);
    if (arguments[i].kind == Argument::length_pointer) std::memcpy(buffer, &kElements, sizeof kElements);
    if (arguments[i].kind == Argument::versioned) std::memcpy(buffer, &question.version, sizeof question.version);
    if (is_key(arguments[i])) std::memcpy(buffer, question.key->c_str(), question.key->size() + 1);
    values[i] = reinterpret_cast<std::uintptr_t>(buffer);
  }
  using Any = int (*)(std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t);
  return reinterpret_cast<Any>(question.function)(values[0], values[1], values[2], values[3], values[4], values[5]);
}

void Questions::ask(Complaints& complaints) {
  for (auto& question : questions_) {
    const int first = run(question, 0), second = run(question, 1);
    if (first != second || first != question.known) {
      complaints.push_back(name_of(question) + " answered " + std::to_string(question.known) + " before, now " +
                           std::to_string(first) + " and " + std::to_string(second));
      question.known = second;
      continue;
    }
    const auto& arguments = question.contract->arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (is_pointer(arguments[i]) && std::memcmp(buffers_of[0][i], buffers_of[1][i], question.extents[i]) != 0)
        complaints.push_back(name_of(question) + " answered two things at one instant in " + arguments[i].name);
  }
}

std::string Questions::name_of(const Question& question) {
  std::string out = question.contract->name;
  for (std::size_t i = 0; i < question.contract->arguments.size(); ++i)
    if (!is_pointer(question.contract->arguments[i]))
      out += (' ' + std::string(question.contract->arguments[i].name)) + '=' + std::to_string(question.values[i]);
  return out;
}

}  // namespace nvmlkit::driver_test
