"""Rental catalogues against a server that speaks their shapes."""

import io
import json
import zipfile
from typing import Any

import pytest

from bot.feeds.cloud import CloudSource, Rented, medians, name_finder, read_csv, unzip
from bot.feeds.source import SourceError
from bot.loading import load_catalogue
from bot.storage.prices import PriceStore
from tests.feeds.loopback import TODAY, Loopback, refresher, run

HEADER = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags"


def zipped(*rows: str, name: str = "aws.csv", more: int = 0) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, "\n".join([HEADER, *rows]))
        for number in range(more):
            archive.writestr(str(number), "")
    return out.getvalue()


def _source(loop: Loopback, *catalogues: str) -> CloudSource:
    return CloudSource(catalogues, name_finder(load_catalogue()), lambda: TODAY, loop.url("/hunt"), loop.url("/sky"),
                       loop.url("/graphql"))  # fmt: skip


def _runpod(**changes: Any) -> str:
    entry = {"id": "NVIDIA GeForce RTX 3090", "displayName": "RTX 3090", "memoryInGb": 24, "secureCloud": True,
             "communityCloud": True, "securePrice": 0.46, "communityPrice": 0.22}  # fmt: skip
    return json.dumps({"data": {"gpuTypes": [entry | changes]}})


async def _hourly(prices: PriceStore) -> dict[tuple[str, str], float]:
    return {(price.gpu, price.kind): price.usd_per_hour for price in await prices.hourly()}


async def test_gpuhunt_price_is_of_one_gpu(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/hunt/aws/version", "20261130-42", "text/plain")
    loop.give("/hunt/aws/20261130-42/catalog.zip", zipped(
        "p5,us,98.32,192,2048,8,H100,80,False,,nvidia,", "p5,eu,110.0,192,2048,8,H100,80,False,,nvidia,",
        "p5,us,9.0,192,2048,8,H100,80,True,,nvidia,", "g5,us,1.006,4,16,1,A10G,24,False,,nvidia,",
        "frac,us,0.5,4,16,0.5,A10G,24,False,,nvidia,", "cpu,us,0.5,4,16,0,,,False,,,",
        "x,us,0,4,16,1,T4,16,False,,nvidia,", "x,us,NaN,4,16,1,T4,16,False,,nvidia,",
        "x,us,2,4,16,1,Z9,16,False,,nvidia,",
    ), "application/zip")  # fmt: skip
    (part,) = (await run(refresher(prices, loop, _source(loop, "gpuhunt")))).parts
    assert part.status == "accepted"
    assert await _hourly(prices) == {("H100 SXM 80GB", "hyperscaler"): 12.29, ("A10G", "hyperscaler"): 1.006}
    assert len(part.rejected) == 6  # the providers that this server does not have


async def test_skypilot_is_read_by_header(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/sky/lambda/vms.csv", "Price,AcceleratorCount,AcceleratorName,Region,GpuInfo,SpotPrice\n"
              "2.58,2,A10,us,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 24576}}]}\",\n", "text/plain")  # fmt: skip
    await run(refresher(prices, loop, _source(loop, "skypilot")))
    assert await _hourly(prices) == {("A10", "cloud"): 1.29}


async def test_runpod(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/graphql", _runpod())
    await run(refresher(prices, loop, _source(loop, "runpod")))
    assert await _hourly(prices) == {("RTX 3090", "cloud"): 0.46, ("RTX 3090", "marketplace"): 0.22}


@pytest.mark.parametrize(
    "change",
    [
        {"securePrice": 0.5, "communityPrice": 0}, {"secureCloud": False, "communityCloud": None},
        {"id": "NVIDIA H100 MIG 1g.10gb"}, {"displayName": "unknown"}, {"memoryInGb": 48},
        {"securePrice": "-1", "communityPrice": True}, {"securePrice": 1e9, "communityPrice": None},
    ],
)  # fmt: skip
async def test_runpod_placeholders_and_slices_are_no_prices(
    prices: PriceStore, loop: Loopback, change: dict[str, Any]
) -> None:
    loop.give("/graphql", _runpod(**change))
    (part,) = (await run(refresher(prices, loop, _source(loop, "runpod")))).parts
    assert part.status == "failed"
    assert await _hourly(prices) == {}


async def test_hourly_price_that_leaps_is_left_out(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/graphql", _runpod())
    maker = refresher(prices, loop, _source(loop, "runpod"))
    await run(maker)
    loop.give("/graphql", _runpod(securePrice=4.6))
    (part,) = (await run(maker, force=True)).parts
    assert "0.46 -> 4.6" in part.rejected[-1]


@pytest.mark.parametrize("body", ["[]", "{}", '{"data": null}', '{"errors": []}', '{"data": {"gpuTypes": {}}}'])
async def test_runpod_in_another_form(prices: PriceStore, loop: Loopback, body: str) -> None:
    loop.give("/graphql", body)
    (part,) = (await run(refresher(prices, loop, _source(loop, "runpod")))).parts
    assert "another form" in part.problem


async def test_a_version_that_leads_elsewhere_is_not_followed(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/hunt/aws/version", "../../etc/passwd", "text/plain")
    (part,) = (await run(refresher(prices, loop, _source(loop, "gpuhunt")))).parts
    assert "is no date" in part.problem


def test_zip_bombs_and_damage() -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"0" * 50_000_000)
    with pytest.raises(SourceError, match="too much"):
        unzip(bomb.getvalue(), "x")
    with pytest.raises(SourceError, match="not one"):
        unzip(zipped(more=1), "x")
    for body in (b"", b"PK\x03\x04", zipped("a")[:-30], zipped("a").replace(b"aws.csv", b"\xff\xfe\x00.csv", 1)):
        with pytest.raises(SourceError):
            unzip(body, "x")
    assert unzip(zipped(), "x") == HEADER


def test_csv_without_its_columns() -> None:
    with pytest.raises(SourceError, match="gpu_count"):
        list(read_csv("price\n1\n", "x", ("price", "gpu_count")))


def test_medians() -> None:
    (price,) = medians(
        [Rented("T4", "a", "cloud", 0.4), Rented("T4", "a", "cloud", 0.3), Rented("T4", "b", "cloud", 0.5),
         Rented("T4", "c", "cloud", 0.6)], "2026-12-01", "x",
    )  # fmt: skip
    assert (price.usd_per_hour, price.low, price.high, price.n) == (0.5, 0.3, 0.6, 3)


@pytest.mark.parametrize(
    ("name", "memory", "module", "gpu"),
    [
        ("H100", 80, True, "H100 SXM 80GB"), ("H100", 80, False, None), ("H100 SXM", 80, False, "H100 SXM 80GB"),
        ("A100 PCIe", 80, False, "A100 80GB"), ("A100-80GB", None, True, "A100 SXM 80GB"), ("A100", 60, True, None),
        ("H200 SXM", 141, False, "H200"), ("RTX3090", 24, False, "RTX 3090"), ("A6000", 48, False, "RTX A6000"),
        ("A10G", 22.35, True, "A10G"), ("A10G", 24, True, "A10G"), ("RTX 3095", 24, False, None),
        ("", None, False, None),
    ],
)  # fmt: skip
def test_names(name: str, memory: float | None, module: bool, gpu: str | None) -> None:
    assert name_finder(load_catalogue())(name, memory, module) == gpu
