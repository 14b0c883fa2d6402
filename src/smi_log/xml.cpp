#include "smi_log/xml.hpp"

#include <tinyxml2.h>

namespace nvmlkit::smi_log {
namespace {

using tinyxml2::XMLElement;

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

Log read_xml_log(const std::string& file, std::string_view text, std::uint32_t first_line) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    const auto line = static_cast<std::uint32_t>(document.ErrorLineNum());
    throw Refused({file, first_line + (line > 0 ? line - 1 : 0)},
                  std::string("not the XML of nvidia-smi -q -x: ") + document.ErrorName());
  }
  const auto* root = document.FirstChildElement("nvidia_smi_log");
  if (root == nullptr) throw Refused({file, first_line}, "expected the element <nvidia_smi_log>");
  return {Format::xml, file, node_of(*root, first_line)};
}

}  // namespace nvmlkit::smi_log
