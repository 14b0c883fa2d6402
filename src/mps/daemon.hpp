// The MPS control daemon: one thread that serves the socket of its pipe directory. It starts servers, gives each CUDA
// program a server and its limits, and answers commands.
#pragma once

#include <sys/types.h>

#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mps/log.hpp"
#include "mps/partitions.hpp"
#include "mps/wire/wire.hpp"

namespace nvmlkit::mps {

// What new clients of a server may use; the daemon has those of the next server.
struct Settings {
  double percent = 100;
  Limits limits;
  unsigned priority = 0;  // of clients: 0 normal, 1 below normal; only reported
};

struct Server {
  pid_t pid = 0;
  uid_t user = 0;
  Settings settings;
  int ready = -1;        // the server writes to it once it holds its GPUs; -1: it has
  int lifeline = -1;     // closed when the daemon ends, which the server sees
  bool leaving = false;  // takes no clients, and ends after its last one
  bool told = false;     // to end
};

// A program or a command that is connected.
struct Peer {
  int connection = -1;
  pid_t pid = 0;
  uid_t user = 0;
  std::string received;
  bool is_client = false, is_quitting = false;
  std::string devices, partitions;
  pid_t server = 0;  // of a client; 0: it waits for one
  Shares shares;     // of a client, if the daemon divides GPUs
};

enum class Division { none, statically };

class Daemon {
 public:
  // `server_program`: the path of nvidia-cuda-mps-server.
  Daemon(int listener, int signals, std::string server_program, Settings defaults, Division division, Log log);
  ~Daemon();

  // Until a command or a signal ends it.
  void run();

  // For the commands.
  Settings& defaults() { return defaults_; }
  const std::map<pid_t, Server>& servers() const { return servers_; }
  Division division() const { return division_; }
  Partitions& partitions() { return partitions_; }
  // UUID/ID of the partitions that clients use.
  std::vector<std::string> partitions_in_use() const;
  // The GPUs of the driver, asked once; none without a driver.
  const GpuList& gpus();
  Server* find_server(pid_t pid);
  std::vector<const Peer*> clients_of(pid_t server) const;
  // The server of the user, which is new if there was none; 0: another user's server has clients.
  pid_t server_for(uid_t user);
  void shut_down(Server& server, bool now);
  // Ends the client's work; false: the server has no such client.
  bool terminate_client(pid_t server, pid_t client);
  void quit(Peer& asking, int seconds);  // negative: as long as clients need

 private:
  void accept_peer();
  void read_from(Peer& peer);
  void take_line(Peer& peer, const std::string& line);
  void serve_waiting();
  void grant(Peer& peer, const Server& server);
  void handle_signal();
  void reap();
  void note_ready(Server& server);
  void close_peers();
  void end_leaving();
  void advance_quit();
  bool has_clients() const;
  pid_t start_server(uid_t user);

  int listener_, signals_;
  std::string server_program_;
  Settings defaults_;
  Division division_;
  Partitions partitions_;
  std::optional<GpuList> gpus_;
  Log log_;
  std::list<Peer> peers_;
  std::map<pid_t, Server> servers_;
  bool quitting_ = false, ended_ = false;
  long quit_by_ms_ = -1;
};

}  // namespace nvmlkit::mps
