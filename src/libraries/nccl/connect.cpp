// How a communicator comes about: cards of all ranks, shared memory on each host, connections between hosts.
#include <sys/random.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libraries/nccl/bootstrap.hpp"
#include "libraries/nccl/communicator.hpp"
#include "libraries/nccl/log.hpp"
#include "storage/process.hpp"

namespace nvmlkit::nccl {
namespace {

// What a rank tells of itself.
struct Card {
  std::uint32_t pid;
  std::int32_t fd;  // of its segment
  std::uint64_t process_start, token;
  Address address;
  char boot_id[40];
  char machine[256];  // the simulated one
  char bus_id[32];
};

void copy_text(char* to, std::size_t size, const char* from) { std::snprintf(to, size, "%s", from ? from : ""); }

void read_boot_id(char* to, std::size_t size) {
  std::FILE* const file = std::fopen("/proc/sys/kernel/random/boot_id", "re");
  if (!file) return copy_text(to, size, "unknown");
  char text[64] = "";
  if (!std::fgets(text, sizeof text, file)) text[0] = '\0';
  std::fclose(file);
  text[std::strcspn(text, "\n")] = '\0';
  copy_text(to, size, text);
}

Card card_of(const Communicator& made, const Address& address) {
  Card card{};
  card.pid = static_cast<std::uint32_t>(getpid());
  card.fd = made.peers.own.fd();
  if (const auto stat = storage::stat_of(card.pid)) card.process_start = stat->start;
  card.token = made.peers.own.bell().token;
  card.address = address;
  read_boot_id(card.boot_id, sizeof card.boot_id);
  for (const char* name : {"NVMLKIT_STATE", "NVMLKIT_MACHINE"})
    if (!card.machine[0]) copy_text(card.machine, sizeof card.machine, std::getenv(name));
  copy_text(card.bus_id, sizeof card.bus_id, made.bus_id.c_str());
  return card;
}

class Connecting {
 public:
  Connecting(Communicator& made, const UniqueId& id) : made_(made), id_(id) {}

  ncclResult_t run() {
    made_.peers.rank = made_.rank;
    made_.peers.all.resize(static_cast<std::size_t>(made_.ranks));
    if (const auto result = bootstrap_.begin(id_, made_.rank, made_.ranks, is_over_); result != ncclSuccess)
      return result;
    if (!prepare()) return ncclSystemError;
    if (const auto result = read_cards(); result != ncclSuccess) return result;
    if (const auto result = open_segments(); result != ncclSuccess) return result;
    if (const auto result = open_sockets(); result != ncclSuccess) return result;
    const auto end = bootstrap_.exchange("", is_over_);
    made_.peers.own.close_file();
    return end ? ncclSuccess : ncclRemoteError;
  }

 private:
  bool prepare() {
    std::uint64_t token = 0;
    std::string interface;
    if (getrandom(&token, sizeof token, 0) != sizeof token || !own_address(address_, interface)) return false;
    log::info(made_.device, "NET/Socket : Using [0]%s:%s", interface.c_str(), text_of(address_).c_str());
    listener_ = listen_at(address_);
    auto own = Segment::make(made_.ranks, token);
    if (!own || !listener_) return false;
    made_.peers.own = std::move(*own);
    return true;
  }

  ncclResult_t read_cards() {
    const auto mine = card_of(made_, address_);
    const auto texts = bootstrap_.exchange(std::string(reinterpret_cast<const char*>(&mine), sizeof mine), is_over_);
    if (!texts) return ncclRemoteError;
    for (std::size_t i = 0; i < texts->size(); ++i) {
      Card card{};
      if ((*texts)[i].size() != sizeof card) return ncclInvalidUsage;
      std::memcpy(static_cast<void*>(&card), (*texts)[i].data(), sizeof card);
      auto& peer = made_.peers.all[i];
      peer.pid = card.pid;
      peer.process_start = card.process_start;
      peer.bus_id = card.bus_id;
      peer.is_on_host = std::strcmp(card.boot_id, mine.boot_id) == 0 && std::strcmp(card.machine, mine.machine) == 0;
      cards_.push_back(card);
    }
    return check_gpus();
  }

  ncclResult_t check_gpus() const {
    for (int i = 0; i < made_.ranks; ++i) {
      const auto& peer = made_.peers.all[static_cast<std::size_t>(i)];
      if (i == made_.rank || !peer.is_on_host || peer.bus_id != made_.bus_id) continue;
      log::complain(made_.device, "Duplicate GPU detected : rank " + std::to_string(made_.rank) + " and rank " +
                                      std::to_string(i) + " both on CUDA device " + made_.bus_id);
      return ncclInvalidUsage;
    }
    return ncclSuccess;
  }

  // Containers may hide the processes of the host from each other: then all ranks use sockets.
  ncclResult_t open_segments() {
    bool is_good = true;
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      auto& peer = made_.peers.all[i];
      if (static_cast<int>(i) == made_.rank || !peer.is_on_host) continue;
      auto opened = Segment::open(cards_[i].pid, cards_[i].fd, made_.ranks, cards_[i].token);
      is_good = is_good && opened;
      if (opened) peer.segment = std::move(*opened);
    }
    const auto answers = bootstrap_.exchange(is_good ? "1" : "0", is_over_);
    if (!answers) return ncclRemoteError;
    for (const auto& answer : *answers) is_good = is_good && answer == "1";
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      auto& peer = made_.peers.all[i];
      if (static_cast<int>(i) == made_.rank) {
        peer.to = peer.from = &made_.peers.own.ring_from(made_.rank);
      } else if (peer.segment && is_good) {
        peer.to = &peer.segment.ring_from(made_.rank);
        peer.from = &made_.peers.own.ring_from(static_cast<int>(i));
      } else {
        peer.segment = Segment();
      }
    }
    return ncclSuccess;
  }

  // The lower rank calls.
  ncclResult_t open_sockets() {
    int callers = 0;
    for (int i = 0; i < made_.ranks; ++i) {
      auto& peer = made_.peers.all[static_cast<std::size_t>(i)];
      if (peer.to) continue;
      if (i < made_.rank) {
        ++callers;
        continue;
      }
      auto socket = connect_to(cards_[static_cast<std::size_t>(i)].address, is_over_);
      const std::uint64_t words[] = {cards_[static_cast<std::size_t>(i)].token, static_cast<std::uint64_t>(made_.rank)};
      if (!socket || !socket.send_all(words, sizeof words, is_over_)) return ncclSystemError;
      attach(peer, std::move(socket));
    }
    while (callers > 0) {
      auto socket = accept_from(listener_, is_over_);
      if (!socket) return ncclSystemError;
      std::uint64_t words[2];
      if (!socket.receive_all(words, sizeof words, is_over_)) return ncclRemoteError;
      if (words[0] != made_.peers.own.bell().token || words[1] >= static_cast<std::uint64_t>(made_.rank)) continue;
      attach(made_.peers.all[words[1]], std::move(socket));
      --callers;
    }
    return ncclSuccess;
  }

  static void attach(Peer& peer, Socket socket) {
    peer.socket = std::move(socket);
    peer.sent = std::make_unique<Ring>();
    peer.received = std::make_unique<Ring>();
    peer.to = peer.sent.get();
    peer.from = peer.received.get();
  }

  Communicator& made_;
  const UniqueId& id_;
  Bootstrap bootstrap_;
  Address address_;
  Socket listener_;
  std::vector<Card> cards_;
  const IsOver is_over_ = [this] { return made_.is_aborted(); };
};

}  // namespace

ncclResult_t connect(Communicator& made, const UniqueId& id) {
  made.id = hash_of(id);
  log::info(made.device, "ncclCommInitRank comm %p rank %d nranks %d cudaDev %d busId %s commId 0x%llx - Init START",
            static_cast<void*>(&made), made.rank, made.ranks, made.device, made.bus_id.c_str(),
            static_cast<unsigned long long>(made.id));
  const auto result = Connecting(made, id).run();
  made.set_state(result);
  if (result == ncclSuccess && made.is_aborted()) made.peers.stand(Standing::aborted);
  if (result != ncclSuccess) return result;
  log::info(made.device, "ncclCommInitRank comm %p rank %d nranks %d cudaDev %d busId %s commId 0x%llx - Init COMPLETE",
            static_cast<void*>(&made), made.rank, made.ranks, made.device, made.bus_id.c_str(),
            static_cast<unsigned long long>(made.id));
  return result;
}

}  // namespace nvmlkit::nccl
