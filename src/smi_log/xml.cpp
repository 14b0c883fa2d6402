#include "smi_log/xml.hpp"

#include <tinyxml2.h>

namespace nvmlkit::smi_log {
namespace {

using tinyxml2::XMLElement;

constexpr std::size_t kDeepestXml = 64;

// tinyxml2 itself refuses documents that nest deeper than its limit, so that the recursion ends.
Node node_of(const XMLElement& element, std::uint32_t first_line) {
  Node node;
  node.name = element.Name();
  node.line = first_line + static_cast<std::uint32_t>(element.GetLineNum()) - 1;
  if (const char* id = element.Attribute("id"); id != nullptr && node.name == "gpu") node.value = id;
  for (const auto* child = element.FirstChild(); child != nullptr; child = child->NextSibling()) {
    if (const auto* inner = child->ToElement())
      node.children.push_back(node_of(*inner, first_line));
    else if (const auto* text = child->ToText(); text != nullptr && node.value.empty())
      node.value = trim(text->Value());
  }
  return node;
}

}  // namespace

std::string close_xml(std::string_view cut) {
  std::vector<std::string_view> open, open_at_end;
  std::size_t end = 0;
  for (auto at = cut.find('<'); at != std::string_view::npos; at = cut.find('<', at + 1)) {
    const auto close = cut.find('>', at);
    if (close == std::string_view::npos) break;
    const auto tag = cut.substr(at + 1, close - at - 1);
    const auto name = tag.substr(0, tag.find_first_of(" \t\r\n/", 1));
    if (tag.empty() || tag.front() == '!' || tag.front() == '?') continue;
    if (tag.front() == '/') {
      if (!open.empty()) open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
      if (open.size() > kDeepestXml) break;
      continue;  // it may be cut before its end
    }
    end = close + 1;
    open_at_end = open;
  }
  std::string out(cut.substr(0, end));
  for (auto name = open_at_end.rbegin(); name != open_at_end.rend(); ++name) out.append("</").append(*name).append(">");
  return out;
}

Expected<Log> read_xml_log(const std::string& file, std::string_view text, std::uint32_t first_line) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    const auto line = static_cast<std::uint32_t>(document.ErrorLineNum());
    return refuse({file, first_line + (line > 0 ? line - 1 : 0)}, std::string("not the XML of nvidia-smi -q -x (") +
                                                                      document.ErrorName() +
                                                                      "); paste it whole, as it was printed");
  }
  const auto* root = document.FirstChildElement("nvidia_smi_log");
  if (root == nullptr) return refuse({file, first_line}, "expected the element <nvidia_smi_log>");
  return Log{Format::xml, file, node_of(*root, first_line)};
}

}  // namespace nvmlkit::smi_log
