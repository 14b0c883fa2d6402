#include "libraries/nccl/bootstrap.hpp"

#include <sys/random.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/never_destroyed.hpp"
#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl {
namespace {

constexpr std::uint64_t kMagic = 0x6e76'6d6c'6b69'7401;

struct Id {
  std::uint64_t magic, session;
  Address address;
};
static_assert(sizeof(Id) <= sizeof(UniqueId));

struct Hello {
  std::uint64_t magic, session;
  std::int32_t rank, ranks;
};

// The ranks of one id that are there.
struct Session {
  int ranks = 0;
  std::map<int, Socket> sockets;
  bool is_refused = false;
};

struct Server {
  std::mutex mutex;
  bool is_started = false;
  Address address;
  Socket listener;
  std::map<std::uint64_t, Session> sessions;
};
Server& server() {
  static NeverDestroyed<Server> the;
  return *the;
}

bool send_text(const Socket& socket, const std::string& text) {
  const auto size = static_cast<std::uint64_t>(text.size());
  return socket.send_all(&size, sizeof size) && socket.send_all(text.data(), text.size());
}

constexpr std::uint64_t kMostBytes = 1 << 20;

bool receive_text(const Socket& socket, std::string& out, const IsOver& is_over = {}) {
  std::uint64_t size = 0;
  if (!socket.receive_all(&size, sizeof size, is_over) || size > kMostBytes) return false;
  out.resize(size);
  return socket.receive_all(out.data(), size, is_over);
}

// Round by round, until the first rank goes.
void serve(const Session& session) {
  std::vector<std::string> texts(static_cast<std::size_t>(session.ranks));
  const char welcome = 1;
  for (const auto& [rank, socket] : session.sockets)
    if (!socket.send_all(&welcome, 1)) return;
  while (true) {
    for (const auto& [rank, socket] : session.sockets)
      if (!receive_text(socket, texts[static_cast<std::size_t>(rank)])) return;
    for (const auto& [rank, socket] : session.sockets)
      for (const auto& text : texts)
        if (!send_text(socket, text)) return;
  }
}

// The thread of the last rank serves all.
void admit(Socket socket) {
  Hello hello{};
  if (!socket.receive_all(&hello, sizeof hello) || hello.magic != kMagic) return;
  Session whole;
  {
    auto& s = server();
    const std::lock_guard lock(s.mutex);
    auto& session = s.sessions[hello.session];
    if (session.ranks == 0) session.ranks = hello.ranks;
    if (session.is_refused || session.ranks != hello.ranks || session.sockets.count(hello.rank)) {
      const char refusal = 2;
      for (const auto& [rank, other] : session.sockets) other.send_all(&refusal, 1);
      socket.send_all(&refusal, 1);
      session.sockets.clear();
      session.is_refused = true;
      return;
    }
    session.sockets.emplace(hello.rank, std::move(socket));
    if (static_cast<int>(session.sockets.size()) < session.ranks) return;
    whole = std::move(session);
    s.sessions.erase(hello.session);
  }
  serve(whole);
}

void listen_for_ranks() {
  auto& s = server();
  while (auto socket = accept_from(s.listener)) std::thread(admit, std::move(socket)).detach();
}

}  // namespace

ncclResult_t make_unique_id(UniqueId& out) {
  auto& s = server();
  const std::lock_guard lock(s.mutex);
  if (!s.is_started) {
    std::string interface;
    if (!own_address(s.address, interface)) {
      log::warn(-1, "Bootstrap : no socket interface found");
      return ncclInvalidUsage;
    }
    log::info(-1, "Bootstrap: Using %s:%s", interface.c_str(), text_of(s.address).c_str());
    s.listener = listen_at(s.address);
    if (!s.listener) return ncclSystemError;
    std::thread(listen_for_ranks).detach();
    s.is_started = true;
  }
  Id id{kMagic, 0, s.address};
  if (getrandom(&id.session, sizeof id.session, 0) != sizeof id.session) return ncclSystemError;
  out = {};
  std::memcpy(&out, &id, sizeof id);
  return ncclSuccess;
}

std::uint64_t hash_of(const UniqueId& unique) {
  Id id;
  std::memcpy(static_cast<void*>(&id), &unique, sizeof id);
  return id.session;
}

ncclResult_t Bootstrap::begin(const UniqueId& unique, int rank, int ranks, const IsOver& is_over) {
  Id id;
  std::memcpy(static_cast<void*>(&id), &unique, sizeof id);
  if (id.magic != kMagic) {
    log::warn(-1, "The unique id is none of ncclGetUniqueId");
    return ncclInvalidArgument;
  }
  ranks_ = ranks;
  server_ = connect_to(id.address, is_over);
  const Hello hello{kMagic, id.session, rank, ranks};
  char answer = 0;
  if (!server_ || !server_.send_all(&hello, sizeof hello, is_over) || !server_.receive_all(&answer, 1, is_over)) {
    log::warn(-1, "Bootstrap : no answer of %s", text_of(id.address).c_str());
    return ncclRemoteError;
  }
  if (answer == 1) return ncclSuccess;
  log::complain(-1, "Bootstrap Root : ranks that do not fit together: rank " + std::to_string(rank) + " of " +
                        std::to_string(ranks) +
                        " has checked in already, or another rank gave another number of ranks");
  return ncclInvalidUsage;
}

std::optional<std::vector<std::string>> Bootstrap::exchange(const std::string& mine, const IsOver& is_over) {
  if (!send_text(server_, mine)) return {};
  std::vector<std::string> out(static_cast<std::size_t>(ranks_));
  for (auto& text : out)
    if (!receive_text(server_, text, is_over)) return {};
  return out;
}

}  // namespace nvmlkit::nccl
