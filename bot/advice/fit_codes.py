"""The codes that fits, power and cost answers speak in. Their wording in each language is data/wording/fit.yaml.

Every code comes with parameters (a mapping); the names below are those that a wording may use. GB are bytes / 2^30.
"""

from __future__ import annotations

from collections.abc import Mapping

ASSUMPTIONS: Mapping[str, tuple[str, ...]] = {
    "context": ("tokens", "said"),
    "precision": ("precision",),
    "batch": ("batch",),
    "kv_cache": ("kind",),
    "framework": (),
    "framework_unknown": ("name",),
    "gpu_unknown": ("name",),
    "size_only": ("name",),
    "cache_unknown": (),
    "moe_total": ("total_b", "active_b"),
    "checkpointing": ("on",),
    "optimizer": ("name", "bytes"),
    "sharded": ("count",),
    "copied": ("count",),
    "resident": (),
    "pixels": ("megapixels", "frames"),
    "reported": ("uncertain",),
}
"""What an estimate took for granted. `MemoryEstimate.deciding` is one of these."""

REMEDIES: Mapping[str, tuple[str, ...]] = {
    "quantise": ("precision", "gb", "quality"),
    "kv_cache": ("kind", "gb"),
    "shorten": ("tokens", "gb"),
    "expert_offload": ("gb", "ram_gb"),
    "offload": ("share", "gb", "ram_gb"),
    "offload_text": ("gb",),
    "quantise_offload_text": ("precision", "gb"),
    "smaller": ("model", "precision", "gb"),
    "more_cards": ("gpu", "count", "gb"),
    "bigger_card": ("memory_gb", "gb"),
    "shard": ("count", "gb"),
    "train_offload": ("gb", "ram_gb"),
    "lora": ("gb",),
    "qlora": ("gb",),
    "checkpointing": ("gb",),
    "lean_optimizer": ("gb",),
    "batch_one": ("gb",),
}
"""Ways to make it fit, cheapest first, with the GB that each leads to."""

COSTS = (
    "none",
    "slight_quality",
    "some_quality",
    "much_quality",
    "slower",
    "much_slower",
    "shorter",
    "money",
    "smaller",
)
"""What a remedy costs."""

NOTES: Mapping[str, tuple[str, ...]] = {
    "not_pooled": ("count",),
    "layer_split": ("count",),
    "weakest_card": ("gpu", "usable_gb"),
    "vllm_compute": ("gpu", "compute", "needed"),
    "no_bf16": ("gpu",),
    "no_fp8": ("gpu",),
    "wired_limit": ("usable_gb", "memory_gb"),
    "two_gpus_on_board": ("gpu",),
    "passive_cooling": ("gpu",),
    "spacing": ("count", "slots"),
    "gap": ("slots",),
    "nvlink": ("gpu", "gbs", "cards"),
    "no_nvlink": ("gpu",),
    "no_p2p": ("gpu",),
    "lanes": ("count",),
    "power_unknown": ("gpus",),
    "two_supplies": ("minimum_w",),
    "spikes": ("spikes_w", "psu_w"),
    "limit": ("limit_w",),
    "separate_cables": (),
    "circuit": ("wall_w", "enough"),
    "cloud_always_cheaper": (),
    "price_is_resale": (),
    "default_hours": ("hours",),
    "default_electricity": ("per_kwh",),
    "no_resale": (),
    "nearest_cloud": ("gpu",),
    "marketplace": (),
    "estimated_price": (),
}
