// Field ids of nvmlDeviceGetFieldValues, typed. Read from registry/semantics/values/field_values.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "registry/facts.hpp"

namespace nvmlgen {

struct FieldId {
  std::string name;  // NVML_FI_DEV_MEMORY_TEMP
  std::int64_t id = 0;
  std::string type;  // uint, int, ullong, double, ushort: how the value is stored; empty: the code decides
  std::map<std::string, std::string> scopes;  // "" or gpu / gpu_base / module / memory -> model path
  unsigned scopes_below = 0;                  // the scope is a number below it, another is Invalid Argument; 0: any
  std::vector<std::string> lacks;             // scopes that are Not Supported on every GPU
  std::string elsewhere;                      // the result for other scopes, Invalid Argument if it is empty
  std::string code;                           // a hand-written function that answers in place of a path
  std::vector<std::string> reads;             // the model paths that it reads
  bool live = false;                          // it wants to know the instant of the call, too
  std::string later;                          // not simulated yet: the subject that it arrives with
};

struct FieldIds {
  std::vector<FieldId> ids;  // ordered by id; further names of one id are left out
};

// Throws RegistryError for an id of the facts that is missing, or one that the facts do not know.
FieldIds load_field_ids(const std::filesystem::path& file, const Facts& facts);

}  // namespace nvmlgen
