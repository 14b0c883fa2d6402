// A driver's answers to all questions.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "capture/question.hpp"

namespace nvmlkit::capture {

using Json = nlohmann::ordered_json;

// Something that is asked about.
struct Object {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Subject subject;
  std::string name;            // "GPU 0", "GPU 0 MIG 1", "machine"
  std::uintptr_t handle;       // 0: the driver gave none
  std::size_t parent = kNone;  // the GPU, or the GPU instance of a compute instance
  std::string refused;         // why there is no handle, as "GPU_IS_LOST"
  // By "nvmlDeviceGetClockInfo(NVML_CLOCK_SM)": what was written by the name of the parameter, or {"error": "NAME"}.
  std::map<std::string, Json> answers;

  const Json* answer(const std::string& question) const;
};

struct Answers {
  std::vector<Object> objects;
  std::string no_gpus;  // the error that hides the number of GPUs, by name

  const Object& machine() const;
  std::vector<const Object*> gpus() const;
  std::vector<const Object*> children(const Object& parent, Subject subject) const;
};

// Whether a driver did answer, and what it wrote at a path as "info.id"; null where there is none.
bool succeeded(const Json* answer);
bool failed(const Json* answer, std::string_view error);
const Json* at(const Json* answer, std::string_view path);

// {"GPU 0": {"nvmlDeviceGetName": {"name": ...}}}
Json to_json(const Answers& answers);

}  // namespace nvmlkit::capture
