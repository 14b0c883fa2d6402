// Every key of a scenario file, with its meaning: one list for the reader, its messages and the JSON Schema.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nvmlkit::scenario {

// What stands behind a key.
enum class Form : std::uint8_t {
  text,
  texts,  // one or a list
  flag,
  whole,     // a number from 1 on
  duration,  // 500ms, 10s, 5m, 2h
  moment,    // the same, or two with ` to ` between them
  chance,    // 25%
  gpus,
  nodes,
  groups,
  labels,
  condition,
  conditions,  // one or a list
  lines,       // one or a list
  steps,
};

struct Key {
  std::string_view name;
  Form form;
  std::string_view doc;
};

std::span<const Key> file_keys();
std::span<const Key> step_keys();
std::span<const Key> gpu_keys();
std::span<const Key> node_keys();

}  // namespace nvmlkit::scenario
