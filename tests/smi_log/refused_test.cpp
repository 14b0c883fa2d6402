// Input that cannot be used: one line with the place, and never a crash.
#include "support.hpp"

namespace nvmlkit::smi_log {
namespace {

struct Bad {
  const char* name;
  std::string text;
  std::string message;  // what it begins with
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

const Bad kBad[] = {
    {"Empty", "", "log.txt: no GPU found"},
    {"Prose", "it does not work\n", "log.txt: no GPU found"},
    {"NoGpu", "==============NVSMI LOG==============\nDriver Version : 550\n", "log.txt: no GPU found"},
    {"CutXml", "first line\n<nvidia_smi_log>\n<gpu id=\"0000:3B:00.0\">\n",
     "log.txt:2: the XML of nvidia-smi -q -x has no end"},
    {"CrossedXml", "<nvidia_smi_log>\n<gpu id=\"0000:3B:00.0\">\n</nvidia_smi_log>\n", "log.txt:"},
    {"NumberWithoutUnit", text_log("    FB Memory Usage\n        Total                             : 12 bananas"),
     "log.txt:9: 'Total' has a value of another form: '12 bananas'"},
    {"WordOfAnotherLanguage", text_log("    Persistence Mode                      : vielleicht"),
     "log.txt:8: 'Persistence Mode' has a value of another form"},
    {"OutOfRange", text_log("    Utilization\n        GPU                               : 400 %"),
     "log.txt:9: utilization.gpu"},
    {"ClockOfText", text_log("    Supported Clocks\n        Memory                            : fast"),
     "log.txt:9: expected a number, got 'fast'"},
    {"CudaVersion", "Driver Version : 550\nCUDA Version : twelve\nGPU 0000:3B:00.0\n",
     "log.txt:2: expected a CUDA version"},
    {"SameGpuTwice", text_log("    Minor Number                          : 0") + "GPU 00000000:3B:00.0\n",
     "log.txt:9: the GPU 00000000:3B:00.0 comes twice in one log"},
    {"LinkSpeed", "GPU 0: A (UUID: GPU-1)\n\t Link 0: fast\n", "log.txt:2: expected a speed"},
    {"XmlBusId", xml_log("", "somewhere"), "log.txt:5: expected the PCI address of a GPU, got 'somewhere'"},
    {"TooDeep",
     [] {
       std::string lines;
       for (int i = 0; i < 40; ++i) lines += std::string(4 + i, ' ') + "a\n";
       return text_log(lines);
     }(),
     "log.txt:23: expected at most 16 levels"},
};

class RefusedInput : public testing::TestWithParam<Bad> {};

TEST_P(RefusedInput, IsOneLineWithItsPlace) {
  try {
    const auto imported = import_text(GetParam().text);
    FAIL() << "taken:\n" << imported.yaml;
  } catch (const Refused& refused) {
    const std::string what = refused.what();
    EXPECT_TRUE(what.starts_with(GetParam().message)) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, RefusedInput, testing::ValuesIn(kBad),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace nvmlkit::smi_log
