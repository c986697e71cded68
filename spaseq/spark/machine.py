"""What a machine needs for Spark: Java, and a session with the settings that jobs of this package rely on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from spaseq.errors import OptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST_JAVA = 17
PARTITIONS = "spark.sql.shuffle.partitions"
PARTITIONS_EACH = 2  # shuffle partitions for each core
STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_INSTALL = f"install it (as with: apt install openjdk-{LEAST_JAVA}-jre-headless), or set JAVA_HOME"
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def check_java() -> str:
    """The program ``java``, of JAVA_HOME or on the PATH.  OptionError: there is none, or it is too old for Spark."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME ({home})" if home else "on the PATH"
        raise OptionError(f"Spark needs Java {LEAST_JAVA} or later, and there is none {where}: {_INSTALL}")
    version = _java_version(java)
    if version is None:
        raise OptionError(f"{java} does not say its version; Spark needs Java {LEAST_JAVA} or later: {_INSTALL}")
    if version < LEAST_JAVA:
        raise OptionError(f"{java} is Java {version}, and Spark needs {LEAST_JAVA} or later: {_INSTALL}")
    return java


def _java_version(java: str) -> int | None:
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(told.stderr + told.stdout)
    return int(found[1]) if found else None


def shuffle_partitions(spark: SparkSession) -> int:
    """How many partitions rows are shuffled into."""
    return int(spark.conf.get(PARTITIONS) or 200)


def start_session(master: str, name: str, settings: Mapping[str, str]) -> SparkSession:
    """A session with SETTINGS and others, whose Python is this one; a new one has twice as many partitions as cores.

    OptionError: there is no Java that Spark can use.
    """
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    is_new = SparkSession.getActiveSession() is None
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in {**SETTINGS, **settings}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    if is_new and PARTITIONS not in settings:
        cores = session.sparkContext.defaultParallelism
        session.conf.set(PARTITIONS, PARTITIONS_EACH * cores)
    return session
