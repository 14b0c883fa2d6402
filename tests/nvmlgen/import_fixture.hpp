// Two small headers that differ in every way that counts, and a registry of their own for each test.
#pragma once

#include <nlohmann/json.hpp>

#include "import_support.hpp"

namespace nvmlgen::testing_support {

using nlohmann::json;

inline std::string header(const std::string& body, const std::string& aliases = "") {
  return "#ifndef H\n#define H\n#define NVML_API_VERSION 1\n#define DEPRECATED(ver) __attribute__((deprecated))\n"
         "#define NVML_STRUCT_VERSION(data, ver) (unsigned int)(sizeof(nvml ## data ## _v ## ver ## _t) | (ver << "
         "24U))\n"
         "#ifndef NVML_NO_UNVERSIONED_FUNC_DEFS\n" +
         aliases +
         "#endif\n"
         "typedef struct nvmlDevice_st* nvmlDevice_t;\n"
         "typedef enum nvmlReturn_enum { NVML_SUCCESS = 0, NVML_ERROR_UNKNOWN = 999 } nvmlReturn_t;\n" +
         body + "#endif\n";
}

inline const char* const old_body = R"(
#define NVML_KEPT 1
#define NVML_MOVED 10
#define NVML_DROPPED 0x10
#define NVML_TEXT "a\"b"
typedef enum nvmlMode_enum { NVML_MODE_A = 0, NVML_MODE_COUNT = 1 } nvmlMode_t;
typedef enum { NVML_LOST_A } nvmlLost_t;
typedef struct { unsigned int first; char name[NVML_KEPT + 7]; unsigned long long last; } nvmlInfo_t;
typedef struct { int x; } nvmlGone_t;
/** @defgroup things Things of interest
 *  @{ */
/**
 * Reads a value.
 * For Kepler &tm; or newer fully supported devices.
 * @return
 *         - \ref NVML_SUCCESS on success
 *         - \ref NVML_ERROR_UNKNOWN on error
 */
nvmlReturn_t nvmlDeviceGetValue(nvmlDevice_t device, unsigned int *value);
/** @} */
nvmlReturn_t nvmlDeviceGetInfo(nvmlDevice_t device, nvmlInfo_t *info);
nvmlReturn_t nvmlDeviceForget(nvmlDevice_t device);
)";

inline const char* const new_body = R"(
#define NVML_KEPT 1
#define NVML_MOVED 11
#define NVML_FRESH 7LL
#define NVML_TEXT "a\"b"
#define NVML_ALSO NVML_FRESH //!< Deprecated, do not use
typedef enum nvmlMode_enum { NVML_MODE_A = 0, NVML_MODE_B = 1, NVML_MODE_COUNT = 2 } nvmlMode_t;
typedef enum { NVML_LEVEL_LOW = 0x80000000u } nvmlLevel_t;
typedef struct { unsigned int version; union { int i; double d; }; struct { char a[2]; } pair[3]; } nvmlData_v1_t;
typedef nvmlData_v1_t nvmlData_t;
#define nvmlData_v1 NVML_STRUCT_VERSION(Data, 1)
typedef struct { char name[16]; unsigned long long last; unsigned int extra; } nvmlInfo_t;
DEPRECATED(2.0) nvmlReturn_t nvmlDeviceGetValue(nvmlDevice_t device, unsigned int *value);
nvmlReturn_t nvmlDeviceGetValue_v2(nvmlDevice_t device, const nvmlData_t *data);
nvmlReturn_t nvmlDeviceGetInfo(nvmlDevice_t device, nvmlInfo_t *info, nvmlMode_t mode);
#ifdef NVML_NO_UNVERSIONED_FUNC_DEFS
nvmlReturn_t nvmlInit(void);
#endif
nvmlReturn_t nvmlInit_v2(void);
)";

class ImportTest : public ::testing::Test {
 protected:
  Output import(const std::string& body, const std::string& version, std::vector<std::string> more = {},
                const std::string& aliases = "") {
    const fs::path path = write_file(dir / ("nvml-" + version + ".h"), header(body, aliases));
    std::vector<std::string> arguments{"import", path.string(), "--facts", facts()};
    if (!version.empty()) arguments.insert(arguments.end(), {"--version", version});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return nvmlgen_run(arguments);
  }
  Output import_new(const std::string& version = "2.0") {
    return import(new_body, version, {}, "#define nvmlInit nvmlInit_v2\n");
  }
  std::string facts() const { return (dir / "registry/facts").string(); }
  json read(const std::string& name) const { return json::parse(read_file(fs::path(facts()) / name)); }
  json named(const std::string& file, const std::string& name) const {
    for (const json& item : read(file))
      if (item.at("name") == name) return item;
    return nullptr;
  }

  TempDir dir;
};

}  // namespace nvmlgen::testing_support
