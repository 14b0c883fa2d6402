#include "imex/domain.hpp"

#include <algorithm>
#include <future>
#include <string_view>

#include "imex/net.hpp"

namespace nvmlkit::imex {
namespace {

constexpr int kSeconds = 2;
constexpr std::string_view kLegend =
    "Connectivity Table Legend:\n"
    "I - Invalid - Node wasn't reachable, no connection status available\n"
    "N - Never Connected\n"
    "R - Recovering - Connection was lost, but clean up has not yet been triggered.\n"
    "D - Disconnected - Connection was lost, and clean up has been triggreed.\n"
    "A - Authenticating - If GSSAPI enabled, client has initiated mutual authentication.\n"
    "!V! - Version mismatch, communication disabled.\n"
    "!M! - Node map mismatch, communication disabled.\n"
    "C - Connected - Ready for operation\n";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (auto end = text.find(separator); end != std::string::npos; end = text.find(separator, start)) {
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') out += '\\';
    if (static_cast<unsigned char>(byte) >= 0x20) out += byte;
  }
  return out + "\"";
}

bool is_ready(const NodeView& node) { return node.status == kReady; }

std::string node_as_json(const NodeView& node, const std::vector<NodeView>& all, bool with_names) {
  std::string out =
      "    {\n      \"status\": " + quoted(node.status) + ",\n      \"host\": " + quoted(node.host) + ",\n";
  if (with_names) out += "      \"hostName\": " + quoted(node.name_of_host) + ",\n";
  out += "      \"connections\": {\n";
  for (std::size_t to = 0; to < all.size(); ++to)
    out += "        \"" + std::to_string(to) + "\": {\"host\": " + quoted(all[to].host) +
           ", \"status\": " + quoted(name_of(node.connections[to])) + ", \"changed\": true}" +
           (to + 1 < all.size() ? ",\n" : "\n");
  return out + "      },\n      \"changed\": true,\n      \"version\": " + quoted(node.version) + "\n    }";
}

}  // namespace

std::vector<NodeView> ask_nodes(const std::vector<std::string>& nodes, int port) {
  // At once: the lookup of a name that nobody has takes seconds, and a ComputeDomain lists many.
  std::vector<std::future<NodeView>> asked;
  const auto ask = [&nodes, port](const std::string& host) {
    NodeView node{host, std::string(kUnavailable), {}, {}, {}};
    const auto connection = connect_to(host, port, kSeconds);
    const auto line = connection && send_text(connection, "node\n") ? receive_line(connection, kSeconds) : std::nullopt;
    const auto parts = split(line.value_or(""), '\t');
    if (parts.size() == 4) {
      node.status = parts[0], node.version = parts[1], node.name_of_host = parts[2];
      for (const auto& name : split(parts[3], ',')) node.connections.push_back(connection_of(name));
    }
    node.connections.resize(nodes.size(), Connection::invalid);
    return node;
  };
  for (const auto& host : nodes) asked.push_back(std::async(std::launch::async, ask, host));
  std::vector<NodeView> out;
  for (auto& one : asked) out.push_back(one.get());
  return out;
}

std::string state_of(const std::vector<NodeView>& nodes) {
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (is_ready(nodes[i])) ready.push_back(i);
  const bool are_connected = std::all_of(ready.begin(), ready.end(), [&](std::size_t from) {
    return std::all_of(ready.begin(), ready.end(),
                       [&](std::size_t to) { return nodes[from].connections[to] == Connection::connected; });
  });
  if (ready.empty() || !are_connected) return "DOWN";
  if (ready.size() == nodes.size()) return "UP";
  return ready.size() > 1 ? "DEGRADED" : "DOWN";
}

std::string as_text(const std::vector<NodeView>& nodes, const std::string& time, bool with_names) {
  std::string out(kLegend);
  out += "\n" + time + "\nNodes:\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& node = nodes[i];
    const auto host = with_names && !node.name_of_host.empty() ? node.host + " (" + node.name_of_host + ")" : node.host;
    out += "Node #" + padded(std::to_string(i), 4) + "- " + padded(host, 16) + "- " + padded(node.status, 21);
    out += (node.version.empty() ? "" : "- Version: " + node.version);
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  std::string head = "\n Nodes From\\To  ";
  for (std::size_t to = 0; to < nodes.size(); ++to) head += padded(std::to_string(to), 4);
  out += head.substr(0, head.find_last_not_of(' ') + 1) + "\n";
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    std::string row = right(std::to_string(from), 8) + "        ";
    for (const auto state : nodes[from].connections) row += padded(std::string(letter_of(state)), 4);
    out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return out + "Domain State: " + state_of(nodes) + "\n";
}

std::string as_json(const std::vector<NodeView>& nodes, const std::string& time, bool with_names) {
  std::string out = "{\n  \"nodes\": {\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto node = node_as_json(nodes[i], nodes, with_names);
    out += "    \"" + std::to_string(i) + "\": " + node.substr(node.find('{')) + (i + 1 < nodes.size() ? ",\n" : "\n");
  }
  return out + "  },\n  \"timestamp\": " + quoted(time) + ",\n  \"status\": " + quoted(state_of(nodes)) + "\n}\n";
}

}  // namespace nvmlkit::imex
