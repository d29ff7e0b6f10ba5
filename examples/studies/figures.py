#!/usr/bin/env python3
"""Draws the figures of docs/study-file.md from the results of the studies of this folder (h5py and matplotlib).

    for s in puma_payload flexible_arm t3r3_map t3r3_tables lighter_arm_map; do ulna sweep $s.yaml -o out/$s; done
    ulna optimize lighter_arm.yaml -o out/lighter_arm
    python3 figures.py out ../../docs/images
"""
import json
import pathlib
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

plt.rcParams.update({"font.size": 8, "svg.fonttype": "none", "axes.spines.top": False, "axes.spines.right": False})


class Study:
    """The columns of a study by name."""

    def __init__(self, folder):
        self.folder = folder
        with h5py.File(folder / "results.h5") as file:
            self.columns = {name: data[:] for group in ("parameters", "measures") for name, data in file[group].items()}
            self.status = file["status"][:]

    def __getitem__(self, name):
        return self.columns[name]

    def summary(self):
        return json.loads((self.folder / "summary.json").read_text())


def puma_payload(study, save):
    _, axes = plt.subplots(1, 3, figsize=(7, 1.9), layout="constrained")
    for axis, name in zip(axes, ("peak1", "peak2", "peak3")):
        axis.hist(study[name], 80, color="#0072b2")
        for level in (5, 95):
            axis.axvline(np.percentile(study[name], level), color="k", lw=0.7, ls=":")
        axis.set(xlabel=f"peak torque of joint {name[-1]} / Nm", yticks=[])
    axes[1].axvline(48, color="#d55e00")
    axes[0].set_ylabel(f"{len(study.status):,} samples")
    save("study-puma-peaks.png")


def flexible_arm(study, save):
    _, (bars, dots) = plt.subplots(1, 2, figsize=(7, 2.2), layout="constrained")
    for k, measure in enumerate(("deflection", "end_angle")):
        sobol = next(m["sobol"] for m in study.summary()["measures"] if m["name"] == measure)
        for order, colour in (("first", "#0072b2"), ("total", "#56b4e9")):
            values = [s[order] for s in sobol.values()]
            ends = np.array([s[order + "_95"] for s in sobol.values()]).T
            shift = (-0.3, -0.1, 0.1, 0.3)[2 * k + (order == "total")]
            bars.bar(np.arange(len(values)) + shift, values, 0.18, color=colour, hatch="//" if k else "",
                     yerr=np.abs(ends - values), error_kw={"lw": 0.7}, label=f"{measure}, {order}")
    bars.set_xticks(range(len(sobol)), list(sobol))
    bars.set(ylabel="Sobol index")
    bars.legend(fontsize=6, frameon=False)
    dots.scatter(study["T"][::3], 1e3 * study["deflection"][::3], 1, c=study["EI_outboard"][::3], cmap="viridis", rasterized=True)
    dots.set(xlabel="time of the motion / s", ylabel="largest deflection / mm")
    save("study-flexible-arm.png")


def t3r3_map(study, save):
    x, y = np.unique(study["q.joint2"]), np.unique(study["q.joint3"])
    _, axis = plt.subplots(figsize=(4.2, 3), layout="constrained")
    mesh = axis.pcolormesh(x, y, study["f1"].reshape(len(x), len(y)).T, cmap="viridis", rasterized=True)
    plt.colorbar(mesh, label="first frequency / Hz")
    axis.set(xlabel="joint 2 / deg", ylabel="joint 3 / deg", title=f"{len(study.status):,} postures")
    save("study-t3r3-map.png")


def t3r3_tables(study, save):
    _, axis = plt.subplots(figsize=(7, 2), layout="constrained")
    for k in range(1, 7):
        axis.plot(100 * (study[f"f{k}"] / study[f"p{k}"] - 1), ".", ms=4, label=f"mode {k}")
    axis.axhline(0, color="k", lw=0.5)
    axis.set(xlabel="case of the tables", ylabel="computed against\nprinted / %", yscale="symlog")
    axis.set_yscale("symlog", linthresh=0.02)
    axis.legend(fontsize=6, ncol=6, frameon=False, loc="lower left")
    save("study-t3r3-tables.svg")


def lighter_arm_map(study, save):
    x, y = np.unique(study["upper"]), np.unique(study["fore"])
    grid = [study[name].reshape(len(x), len(y)).T for name in ("mass", "f1")]
    _, axis = plt.subplots(figsize=(4.2, 3), layout="constrained")
    axis.clabel(axis.contour(x, y, grid[0], 8, colors="#999", linewidths=0.7), fmt="%d kg", fontsize=6)
    axis.clabel(axis.contour(x, y, grid[1], [15, 20, 25, 30], colors="#0072b2", linewidths=0.7), fmt="%d Hz", fontsize=6)
    axis.contour(x, y, grid[1], [1.2 * 21.7517], colors="#d55e00")
    best = Study(study.folder.parent / "lighter_arm")
    k = np.nanargmin(np.where(best.status == 1, best["mass"], np.nan))
    axis.plot(best["upper"][k], best["fore"][k], "o", color="#d55e00")
    axis.set(xlabel="outer side of the upper arm / mm", ylabel="outer diameter of the forearm / mm",
             title=f"at least {1.2 * 21.7517:.1f} Hz: {best['mass'][k]:.1f} kg")
    save("study-lighter-arm.svg")


def main(results, images):
    for draw in (puma_payload, flexible_arm, t3r3_map, t3r3_tables, lighter_arm_map):
        if (results / draw.__name__).is_dir():
            draw(Study(results / draw.__name__), lambda name: plt.savefig(images / name, dpi=90))


main(*map(pathlib.Path, sys.argv[1:3]))
