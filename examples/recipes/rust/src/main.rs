//! What stands for the program under test: prints each GPU above 80 degrees and each lost GPU.

use std::ffi::CString;
use std::mem::transmute_copy;
use std::os::raw::{c_char, c_int, c_uint, c_void};

extern "C" {
    fn dlopen(path: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

struct Nvml(*mut c_void);

impl Nvml {
    fn open() -> Option<Nvml> {
        let path = CString::new("libnvidia-ml.so.1").ok()?;
        let library = unsafe { dlopen(path.as_ptr(), 2) };
        (!library.is_null()).then_some(Nvml(library))
    }

    /// `F` must be the type of the C function.
    unsafe fn function<F>(&self, name: &str) -> F {
        let name = CString::new(name).expect("a name without NUL");
        let address = dlsym(self.0, name.as_ptr());
        assert!(!address.is_null(), "the driver has no such function");
        transmute_copy(&address)
    }

    fn count(&self) -> u32 {
        let mut count = 0;
        unsafe { self.function::<extern "C" fn(*mut c_uint) -> c_int>("nvmlDeviceGetCount_v2")(&mut count) };
        count
    }

    fn temperature(&self, index: u32) -> Result<u32, c_int> {
        let (mut gpu, mut degrees) = (std::ptr::null_mut(), 0);
        let handle: extern "C" fn(c_uint, *mut *mut c_void) -> c_int = unsafe { self.function("nvmlDeviceGetHandleByIndex_v2") };
        let read: extern "C" fn(*mut c_void, c_int, *mut c_uint) -> c_int = unsafe { self.function("nvmlDeviceGetTemperature") };
        match handle(index, &mut gpu) {
            0 => match read(gpu, 0, &mut degrees) {
                0 => Ok(degrees),
                error => Err(error),
            },
            error => Err(error),
        }
    }
}

fn main() {
    let nvml = Nvml::open().expect("no NVIDIA driver");
    let started = unsafe { nvml.function::<extern "C" fn() -> c_int>("nvmlInit_v2")() };
    assert_eq!(started, 0, "nvmlInit");
    for index in 0..nvml.count() {
        match nvml.temperature(index) {
            Ok(degrees) if degrees > 80 => println!("GPU {index}: {degrees} C"),
            Ok(_) => {}
            Err(15) => println!("GPU {index}: lost"),
            Err(error) => println!("GPU {index}: error {error}"),
        }
    }
}
