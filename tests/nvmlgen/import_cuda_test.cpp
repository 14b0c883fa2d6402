// Facts of the CUDA driver API from a description of cuda.h.
#include <nlohmann/json.hpp>

#include "import/cuda.hpp"
#include "import_support.hpp"
#include "registry/error.hpp"

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

TEST(ImportCuda, KeepsWhatADriverExports) {
  const TempDir folder;
  import_cuda(write_file(folder / "cuda.json", kDescription), folder / "facts");
  const auto facts = [&](const char* name) { return json::parse(read_file(folder / "facts" / name)); };
  EXPECT_EQ(facts("functions.json"), json::parse(R"([{"name": "cuOne_v2_ptsz", "family": "cuOne", "group": "Group",
      "params": [["void *", "data"]], "stream": "ptsz", "drivers": ["550"]}])"));
  EXPECT_EQ(facts("entry_points.json"), json::parse(R"({"cuOne": [[7000, "cuOne_v2_ptsz", "ptsz"]]})"));
  EXPECT_EQ(facts("drivers.json")["550"]["undeclared"], json::parse(R"(["cuHidden"])"));
  EXPECT_EQ(facts("structs.json")["Plain"]["fields"], json::parse(R"([["int", "size", 0, 2]])"));
  EXPECT_FALSE(facts("structs.json")["Both"].contains("fields"));
}

TEST(ImportCuda, RefusesWhatIsNoDescription) {
  const TempDir folder;
  EXPECT_THROW(import_cuda(write_file(folder / "cuda.json", "{}"), folder / "facts"), RegistryError);
  EXPECT_THROW(import_cuda(write_file(folder / "cuda.json", "#include"), folder / "facts"), RegistryError);
  EXPECT_THROW(import_cuda(folder / "nothing.json", folder / "facts"), RegistryError);
}

}  // namespace
}  // namespace nvmlgen
