//! A program on simulated GPUs: `cargo test`, with nvmlkit in PATH. The tests run side by side, each on a machine of its own.

use std::path::PathBuf;
use std::process::Command;

struct Machine {
    folder: PathBuf,
}

impl Machine {
    fn up(test: &str, options: &[&str]) -> Machine {
        let folder = std::env::temp_dir().join(format!("gpus-{}-{test}", std::process::id()));
        std::fs::create_dir(&folder).expect("a folder for the machine");
        let machine = Machine { folder };
        machine.nvmlkit(&[&["up"], options].concat());
        machine
    }

    /// Steers it: machine.nvmlkit(&["fault", "gpu=1", "xid", "79"]).
    fn nvmlkit(&self, words: &[&str]) {
        let out = Command::new("nvmlkit").args(words).arg("--state").arg(self.folder.join("machine")).output();
        let out = out.expect("nvmlkit in PATH");
        assert!(out.status.success(), "nvmlkit {words:?}: {}", String::from_utf8_lossy(&out.stderr));
    }

    /// What the program under test prints.
    fn hot_gpus(&self) -> String {
        let mut command = Command::new("nvmlkit");
        command.args(["run", "--state"]).arg(self.folder.join("machine")).args(["--", env!("CARGO_BIN_EXE_hot-gpus")]);
        let out = command.output().expect("nvmlkit in PATH");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("text")
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = Command::new("nvmlkit").arg("down").arg("--state").arg(self.folder.join("machine")).output();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn cool_gpus_are_not_listed() {
    assert_eq!(Machine::up("cool", &["-m", "h100", "-n", "4"]).hot_gpus(), "");
}

#[test]
fn a_hot_gpu_is_listed() {
    let machine = Machine::up("hot", &["-m", "h100", "-n", "4"]);
    machine.nvmlkit(&["set", "gpu=2", "thermal.gpu=91"]);
    assert_eq!(machine.hot_gpus(), "GPU 2: 91 C\n");
}

#[test]
fn a_lost_gpu_comes_back() {
    let machine = Machine::up("lost", &["-m", "a100", "-n", "2"]);
    machine.nvmlkit(&["fault", "gpu=1", "xid", "79"]);
    assert_eq!(machine.hot_gpus(), "GPU 1: lost\n");
    machine.nvmlkit(&["heal", "gpu=1"]);
    assert_eq!(machine.hot_gpus(), "");
}
