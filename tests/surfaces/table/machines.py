"""The machines of the tests, as machine files. In the table, GPU 1 is the one that changes."""

SYSTEM = {"enforce_privilege": False, "num_devices": 3}
MIG = {"mig": {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]}}

MACHINES = {
    "h100": {"base": "h100", "system": SYSTEM},
    "dgx-h100": {"base": "dgx-h100", "system": SYSTEM},
    "b200": {"base": "b200", "system": SYSTEM},
    "rubin": {
        "base": "b200",
        "system": {**SYSTEM, "driver_version": "615.71.09"},
        "device_defaults": {"architecture": "rubin", "bank_remapper": {"histogram": {"max_spare": 64}}},
    },
    "b200 with NVLE": {"base": "b200", "system": SYSTEM, "nvlink": {"encryption": True}},
    "v100": {"base": "v100", "system": SYSTEM},
    "t4": {"base": "t4", "system": SYSTEM},
    "rtx4090": {"base": "rtx4090", "system": SYSTEM},
    "h100 and t4": {"base": "h100", "system": SYSTEM, "devices": [{"index": 1, "base": "t4"}]},
    "h100 with MIG": {"base": "h100", "system": SYSTEM, "devices": [{"index": 1, **MIG}]},
}
