"""Tests in heavy/ need PyMC, JAX, NumPyro and Numba. They run where `--heavy` (or `-m heavy`) asks for them, and then fail where one
of those packages is missing."""

import signal


def pytest_addoption(parser):
    parser.addoption("--heavy", action="store_true", help="also run what needs PyMC, JAX, NumPyro and Numba")


def pytest_configure(config):
    config.addinivalue_line("markers", "heavy: needs PyMC, JAX, NumPyro and Numba")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # where shells had it ignored, as in the background, so would our tests


def pytest_ignore_collect(collection_path, config):
    words = config.option.markexpr
    wanted = config.getoption("--heavy") or ("heavy" in words and "not heavy" not in words)
    return True if collection_path.name == "heavy" and not wanted else None
