"""Settings of hypothesis: files take longer than it expects of an example."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("ms-fs", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ms-fs")
