// Facts of the CUDA driver API from a description of cuda.h.
#include <nlohmann/json.hpp>

#include "import/cuda.hpp"
#include "import/cuda_runtime.hpp"
#include "import_support.hpp"
#include "registry/error.hpp"
#include "small_library.hpp"

namespace nvmlgen {
namespace {

using namespace testing_support;
using nlohmann::json;

constexpr const char* kDescription = R"({
  "meta": {"cuda_version": 13000,
           "libs": {"550": {"version": "550.1", "symbols": 2, "data_symbols": ["cuObject"]}}},
  "functions": [
    {"name": "cuOne_v2_ptsz", "family": "cuOne", "group": "Group", "deprecated": false, "stream": "ptsz",
     "params": [{"type": "void *", "name": "data"}], "exported_by": ["550"]},
    {"name": "cuNew", "family": "cuNew", "group": null, "deprecated": true, "params": [], "exported_by": []}],
  "handles": [{"name": "CUstream", "struct": "struct CUstream_st"}],
  "typedefs": [{"name": "CUdevice", "type": "int"}],
  "function_pointer_types": [{"name": "CUhostFn", "ret": "void", "args": ["void *"]}],
  "structs": [
    {"name": "Plain", "tag": "Plain_st", "size": 8, "align": 4,
     "fields": [{"name": "size", "type": "int", "dims": [2], "off": 0}]},
    {"name": "Both", "size": 4, "align": 4,
     "fields": [{"name": "value", "type": "union{}", "off": 0, "fields": [{"name": "a", "type": "int", "off": 0}]}]}],
  "enums": [{"name": "CUresult", "tag": "cudaError_enum", "underlying": "unsigned int", "values": {"CUDA_SUCCESS": 0}}],
  "pfn": [{"api": "cuOne", "v": 7000, "symbol": "cuOne_v2_ptsz", "stream": "ptsz"}],
  "lib_only_symbols": {"cuHidden": {"libs": ["550"]}, "cuOther": {"libs": ["535"]}}
})";

TEST(ImportCuda, KeepsFunctionsAndWhichDriversExportThem) {
  const TempDir folder;
  import_cuda(write_file(folder / "cuda.json", kDescription), folder / "facts");
  const auto facts = [&](const char* name) { return json::parse(read_file(folder / "facts" / name)); };
  EXPECT_EQ(facts("functions.json"), json::parse(R"([{"name": "cuOne_v2_ptsz", "family": "cuOne", "group": "Group",
      "params": [["void *", "data"]], "stream": "ptsz", "drivers": ["550"]},
      {"name": "cuNew", "family": "cuNew", "params": [], "deprecated": true, "drivers": []}])"));
  EXPECT_EQ(facts("entry_points.json"), json::parse(R"({"cuOne": [[7000, "cuOne_v2_ptsz", "ptsz"]]})"));
  EXPECT_EQ(facts("drivers.json")["550"]["undeclared"], json::parse(R"(["cuHidden"])"));
  EXPECT_EQ(facts("structs.json")["Plain"]["fields"], json::parse(R"([["int", "size", 0, 2]])"));
  EXPECT_FALSE(facts("structs.json")["Both"].contains("fields"));
}

// Headers of a runtime: two functions, of which the second changed in version 12.
void write_toolkit(const fs::path& root, int version, const std::string& second) {
  const auto folder = root / "include";
  write_file(folder / "cuda_runtime_api.h", R"(
#include <stddef.h>
#define CUDART_VERSION )" + std::to_string(version) +
                                                R"(
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define cudaFirst cudaFirst_ptsz
#endif
struct cudaExtent { size_t width, height, depth; };
typedef void (*cudaHostFn_t)(void *userData);
int cudaFirst(void *data, struct cudaExtent extent, cudaHostFn_t fn);
int cudaSecond()" + second + R"();
int helper(int);
)");
  write_file(folder / "cuda_profiler_api.h", "\n");
  write_file(root / "lib64/libcudart.so.9", small_library({"cudaFirst", "__cudaHidden", "other"}));
}

TEST(ImportCudaRuntime, KeepsWhatEachVersionDeclares) {
  const TempDir folder;
  write_toolkit(folder / "12", 12040, "int size, int flags");
  write_toolkit(folder / "11", 11080, "int size");
  import_cuda_runtime(folder / "12/include", folder / "facts");
  import_cuda_runtime(folder / "11/include", folder / "facts");
  const auto expected = json::parse(R"([
    {"name": "cudaFirst", "versions": ["11.8", "12.4"],
     "params": [["void *", "data"], ["struct cudaExtent", "extent", 24], ["cudaHostFn_t", "fn", "callback"]]},
    {"name": "cudaFirst_ptsz", "versions": ["11.8", "12.4"],
     "params": [["void *", "data"], ["struct cudaExtent", "extent", 24], ["cudaHostFn_t", "fn", "callback"]]},
    {"name": "cudaSecond", "versions": ["11.8"], "params": [["int", "size"]]},
    {"name": "cudaSecond", "versions": ["12.4"], "params": [["int", "size"], ["int", "flags"]]}])");
  EXPECT_EQ(json::parse(read_file(folder / "facts/runtime.json")), expected);
  import_cuda_runtime(folder / "12/include", folder / "facts");
  EXPECT_EQ(json::parse(read_file(folder / "facts/runtime.json")), expected) << "twice is as once";
  EXPECT_EQ(json::parse(read_file(folder / "facts/runtime_exports.json")),
            json::parse(R"({"__cudaHidden": ["11.8", "12.4"], "cudaFirst": ["11.8", "12.4"]})"));
}

TEST(ImportCudaRuntime, RefusesAFolderWithoutHeaders) {
  const TempDir folder;
  EXPECT_ANY_THROW(import_cuda_runtime(folder / "none", folder / "facts"));
  EXPECT_FALSE(fs::exists(folder / "facts/runtime.json"));
}

TEST(ImportCuda, RefusesWhatIsNoDescription) {
  const TempDir folder;
  EXPECT_THROW(import_cuda(write_file(folder / "cuda.json", "{}"), folder / "facts"), RegistryError);
  EXPECT_THROW(import_cuda(write_file(folder / "cuda.json", "#include"), folder / "facts"), RegistryError);
  EXPECT_THROW(import_cuda(folder / "nothing.json", folder / "facts"), RegistryError);
}

}  // namespace
}  // namespace nvmlgen
