// A node with simulated GPUs for tests of Go programs: `go test`, with nvmlkit in PATH.
package gpus

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Node is a driver root that follows its machine, as a node of a cluster has it.
type Node struct {
	t     *testing.T
	Root  string // for NVIDIA_DRIVER_ROOT and the like
	CDI   string // the folder of the CDI specification, for a container runtime or a program that reads it
	state string
}

func newNode(t *testing.T, arguments ...string) *Node {
	t.Helper()
	folder := t.TempDir()
	node := &Node{t: t, Root: filepath.Join(folder, "root"), CDI: filepath.Join(folder, "cdi")}
	node.state = filepath.Join(node.Root, "run/nvmlkit/state")
	if err := os.Mkdir(node.CDI, 0o755); err != nil {
		t.Fatal(err)
	}
	ready := filepath.Join(folder, "ready")
	command := exec.Command("nvmlkit", append([]string{"node", node.Root, "--cdi-dir", node.CDI, "--ready-file", ready}, arguments...)...)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	})
	node.eventually("the node is ready", func() bool {
		_, err := os.Stat(ready)
		return err == nil
	})
	return node
}

// steer runs a command of nvmlkit on the machine: steer("fault", "gpu=1", "off-bus").
func (node *Node) steer(words ...string) {
	node.t.Helper()
	out, err := exec.Command("nvmlkit", append(words, "--state", node.state)...).CombinedOutput()
	if err != nil {
		node.t.Fatalf("nvmlkit %s: %v\n%s", strings.Join(words, " "), err, out)
	}
}

func (node *Node) eventually(what string, holds func() bool) {
	node.t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			node.t.Fatalf("not within 30 s: %s", what)
		}
	}
}

var device = regexp.MustCompile(`(?m)^- name: "(GPU-[^"]+)"$`)

// gpus is what stands for the program under test: the UUIDs of the CDI devices. A program with the CDI library would use
// cdi.NewCache(cdi.WithSpecDirs(node.CDI)).
func gpus(t *testing.T, folder string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "nvidia.com-gpu.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var uuids []string
	for _, found := range device.FindAllStringSubmatch(string(text), -1) {
		uuids = append(uuids, found[1])
	}
	return uuids
}

func TestGPUFallsOffTheBus(t *testing.T) {
	node := newNode(t, "-m", "h100", "-n", "4")
	all := gpus(t, node.CDI)
	if len(all) != 4 {
		t.Fatalf("expected 4 GPUs, got %q", all)
	}
	node.steer("fault", "gpu=1", "off-bus")
	node.eventually("three GPUs", func() bool { return len(gpus(t, node.CDI)) == 3 })
	for _, uuid := range gpus(t, node.CDI) {
		if uuid == all[1] {
			t.Errorf("%s is off the bus and still a CDI device", uuid)
		}
	}
	node.steer("heal", "gpu=1")
	node.eventually("four GPUs", func() bool { return len(gpus(t, node.CDI)) == 4 })
}
