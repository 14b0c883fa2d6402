// A machine for each test of a program that uses GPUs: `go test`, with nvmlkit in PATH.
package gpus

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Machine is a file in the folder of its test, so that tests with t.Parallel() each have their own.
type Machine struct {
	t     *testing.T
	state string
}

func newMachine(t *testing.T, options ...string) *Machine {
	t.Helper()
	machine := &Machine{t: t, state: filepath.Join(t.TempDir(), "machine")}
	machine.steer(append([]string{"up"}, options...)...)
	t.Cleanup(func() { machine.steer("down") })
	return machine
}

// steer runs a command of nvmlkit on the machine: steer("fault", "gpu=1", "xid", "79").
func (machine *Machine) steer(words ...string) string {
	machine.t.Helper()
	out, err := exec.Command("nvmlkit", append(words, "--state", machine.state)...).CombinedOutput()
	if err != nil {
		machine.t.Fatalf("nvmlkit %s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// run is a program that sees the machine's GPUs. A Go program with go-nvml needs nothing else.
func (machine *Machine) run(program ...string) (string, error) {
	words := append([]string{"run", "--state", machine.state, "--"}, program...)
	out, err := exec.Command("nvmlkit", words...).CombinedOutput()
	return string(out), err
}

// temperatures is what stands for the program under test.
func (machine *Machine) temperatures() []string {
	machine.t.Helper()
	out, err := machine.run("nvmlkit", "smi", "--query-gpu=temperature.gpu", "--format=csv,noheader")
	if err != nil {
		machine.t.Fatalf("%v\n%s", err, out)
	}
	return strings.Fields(out)
}

func TestAHotGPU(t *testing.T) {
	t.Parallel()
	machine := newMachine(t, "-m", "h100", "-n", "2")
	machine.steer("set", "gpu=1", "thermal.gpu=91")
	if got := machine.temperatures(); len(got) != 2 || got[1] != "91" {
		t.Errorf("expected GPU 1 at 91, got %q", got)
	}
}

func TestALostGPU(t *testing.T) {
	t.Parallel()
	machine := newMachine(t, "-m", "a100", "-n", "4")
	machine.steer("fault", "gpu=2", "xid", "79")
	if out, _ := machine.run("nvmlkit", "smi", "-L"); !strings.Contains(out, "GPU is lost") {
		t.Errorf("expected a lost GPU: %s", out)
	}
	machine.steer("heal", "gpu=2")
	if got := machine.temperatures(); len(got) != 4 {
		t.Errorf("expected 4 GPUs after the repair, got %q", got)
	}
}

func TestAnIncident(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "incident.xml")
	out, err := exec.Command("nvmlkit", "scenario", "run", "../scenario/incident.yaml", "-m", "h100", "--junit", report).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
