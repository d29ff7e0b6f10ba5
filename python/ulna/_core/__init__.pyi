import os
from typing import Any, Callable, Iterable, Mapping, Sequence, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..results import (
    BaseParameters,
    ClosingJoint,
    Closure,
    Condensation,
    Decoupling,
    ElasticModes,
    Energy,
    EquationsOfMotion,
    Equilibrium,
    Fidelity,
    FlexibleLink,
    ForwardDerivatives,
    Generated,
    Identification,
    IndependentMap,
    InfluenceCoefficients,
    InverseDerivatives,
    Joint,
    JointRates,
    KaneQuantities,
    LagrangeCoefficients,
    LegMotion,
    LinearAlong,
    LinearSystem,
    LinearTerms,
    LinkMatrices,
    LogEfforts,
    LogIdentification,
    LoopEfforts,
    MeasuredLog,
    Mobility,
    Modes,
    ModesAlong,
    ModesMap,
    NearestSingularity,
    PlatformEquations,
    PlatformPath,
    PlatformPoses,
    PlatformPosture,
    PlatformQuality,
    PlatformSingularity,
    StabilitySurface,
    StaticDeflection,
    StructureMatrices,
    Synthesis,
    Timing,
    TipStudy,
    Verification,
    WorkingModes,
    WorkspaceSlice,
    Wrench,
)
from ..results import Motion as SampledMotion
from . import homogeneous as homogeneous
from . import motions as motions

_Floats = NDArray[np.float64]
_Wrenches = Mapping[str, ArrayLike] | Iterable[Wrench]
_Named = ArrayLike | Mapping[str, ArrayLike]
_Names = str | Iterable[str]
_Elastic = Mapping[str, float | Sequence[float]]
_Frame = str | int
_Function = float | str | Motion | Callable[[float], Any]
_Log = str | bytes | os.PathLike[str] | MeasuredLog
_Logs = _Log | Iterable[_Log]
_RunParts = tuple[Robot, list[str], _Floats, str]

__version__: str

class InputError(ValueError):
    problems: Sequence[dict[str, Any]]

class ComputationError(RuntimeError):
    measure: float

def threads() -> int: ...
def set_threads(count: int) -> None: ...
def instruction_set() -> str: ...
def load(
    robot: str | bytes | os.PathLike[str],
    *,
    strict: bool = False,
    packages: Mapping[str, str] = ...,
    repair: str | None = None,
    gravity: ArrayLike | None = None,
    xacro: Mapping[str, str] | None = None,
) -> Robot: ...
def loads(
    text: str,
    *,
    name: str = "text",
    strict: bool = False,
    packages: Mapping[str, str] = ...,
    repair: str | None = None,
    gravity: ArrayLike | None = None,
) -> Robot: ...
def robots() -> dict[str, str]: ...
def read_log(
    robot: Robot,
    path: str | bytes | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    cutoff: float | None = None,
    recorded_rates: bool = False,
) -> MeasuredLog: ...
def measured_motion(
    robot: Robot,
    t: ArrayLike,
    q: ArrayLike,
    *,
    tau: ArrayLike | None = None,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    cutoff: float | None = None,
    name: str = "log",
) -> MeasuredLog: ...
def low_passed(x: ArrayLike, cutoff: float, rate: float) -> _Floats: ...
def lqr(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike) -> tuple[_Floats, _Floats]: ...
def dlqr(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike) -> tuple[_Floats, _Floats]: ...
def kalman(A: ArrayLike, C: ArrayLike, Q: ArrayLike, R: ArrayLike) -> tuple[_Floats, _Floats]: ...
def discretize(A: ArrayLike, B: ArrayLike, sample_time: float) -> tuple[_Floats, _Floats]: ...
def gramians(
    A: ArrayLike, B: ArrayLike, C: ArrayLike, *, discrete: bool = ...
) -> tuple[_Floats, _Floats, _Floats]: ...
def frequency_response(
    A: ArrayLike, B: ArrayLike, C: ArrayLike, D: ArrayLike, frequencies: Sequence[float], *, sample_time: float = ...
) -> NDArray[np.complex128]: ...
def place_poles(A: ArrayLike, B: ArrayLike, poles: Sequence[complex]) -> _Floats: ...
def function_names() -> list[str]: ...
def language_names() -> list[str]: ...
def integrator_names() -> list[str]: ...
def elastic_levels() -> list[str]: ...
def formulations() -> dict[str, str]: ...
def materials() -> list[str]: ...
def has_report_page() -> bool: ...
def synthesize(
    robot: Robot,
    task: str | os.PathLike[str] | Mapping[str, Any],
    *,
    method: str = "gauss-newton",
    restarts: int = 100,
    wanted: int = 5,
    seed: int = 1,
    tolerance: float = 1e-9,
) -> Synthesis: ...
def synthesis_methods() -> list[str]: ...
def decoupling(
    experiment: Experiment, *, inputs: _Names | None = None, samples: int = 100
) -> Decoupling: ...
def fidelity(experiment: Experiment, levels: _Names | None = None) -> Fidelity: ...
def tip_study(experiment: str | os.PathLike[str]) -> TipStudy: ...
def _modes_of_variants(
    robots: list[Robot],
    q: ArrayLike | None = None,
    *,
    count: int = 6,
    locked: _Names | None = None,
    elastic: _Elastic | None = None,
    theory: str = "euler-bernoulli",
    mass: str = "consistent",
    rotatory: bool = False,
    freedoms: _Names | None = None,
) -> ModesAlong: ...
def _run(
    experiment: Experiment, output: str | None, resume: bool
) -> tuple[list[str], _Floats, str, str]: ...
def _write_fmu(
    experiment: Experiment | str,
    file: str,
    fmi: int,
    inputs: list[str],
    outputs: list[str],
    parameters: list[str],
    kind: str,
) -> dict[str, Any]: ...
def _report_html(
    run: _RunParts, title: str, compare: Sequence[_RunParts] = ..., packages: Mapping[str, str] = ...
) -> str: ...
def _orientations(rotations: ArrayLike) -> _Floats: ...
def _write_file(path: str | bytes, content: str) -> None: ...
def _write_hdf5(run: _RunParts, directory: str, file: str) -> None: ...
def _load_run(directory: str) -> tuple[Robot, list[str], _Floats, str]: ...

class Robot:
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def mass(self) -> float: ...
    @property
    def gravity_vector(self) -> _Floats: ...
    @property
    def joints(self) -> list[Joint]: ...
    @property
    def bodies(self) -> list[str]: ...
    @property
    def frames(self) -> list[str]: ...
    @property
    def tip(self) -> str: ...
    @property
    def loops(self) -> list[str]: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def speeds(self) -> list[str]: ...
    @property
    def lower(self) -> _Floats: ...
    @property
    def upper(self) -> _Floats: ...
    @property
    def velocity_limit(self) -> _Floats: ...
    @property
    def effort_limit(self) -> _Floats: ...
    @property
    def coordinate_units(self) -> list[str]: ...
    @property
    def speed_units(self) -> list[str]: ...
    @property
    def loop_tolerance(self) -> float: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def import_report(self) -> dict[str, list[str]]: ...
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, arg0: tuple[Any, ...]) -> None: ...
    def neutral(self) -> _Floats: ...
    def random(self, size: int | None = None, *, seed: int | None = None) -> _Floats: ...
    def to_yaml(self) -> str: ...
    def write(
        self, file: str | os.PathLike[str], *, strict: bool = False, loops: str = "constraint"
    ) -> list[str]: ...
    @property
    def postures(self) -> list[str]: ...
    def posture(self, name: str) -> _Floats: ...
    def hash(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def builder(self) -> RobotBuilder: ...
    def with_parameters(
        self, values: Mapping[str, Any] | Identification, *, consistent: bool = False
    ) -> Robot: ...
    def with_actuator_forces(
        self, forces: Mapping[str, float] = {}, *, time: float = 0.0
    ) -> Robot: ...
    def _with_inputs_of(self, other: Robot) -> Robot: ...
    def parameter(self, path: str) -> float | str | None: ...
    def replace(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        gravity: ArrayLike | None = None,
        loop_tolerance: float | None = None,
        bodies: Mapping[str, Mapping[str, Any]] | None = None,
        joints: Mapping[str, Mapping[str, Any]] | None = None,
        frames: Mapping[str, Mapping[str, Any]] | None = None,
        payloads: Mapping[str, Mapping[str, Any]] | None = None,
        consistent: bool = False,
    ) -> Robot: ...
    def integrate(self, q: ArrayLike, dv: ArrayLike) -> _Floats: ...
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> _Floats: ...
    # kinematics
    def fk(self, q: ArrayLike, frame: _Frame | None = None, *, out: _Floats | None = None) -> _Floats: ...
    def poses(self, q: ArrayLike) -> dict[str, _Floats]: ...
    def velocity(
        self,
        q: _Named,
        v: _Named,
        frame: _Frame | None = None,
        *,
        relative_to: _Frame | None = None,
        expressed_in: _Frame | None = None,
    ) -> _Floats: ...
    def acceleration(
        self,
        q: _Named,
        v: _Named,
        a: _Named | None = None,
        frame: _Frame | None = None,
        *,
        relative_to: _Frame | None = None,
        expressed_in: _Frame | None = None,
    ) -> _Floats: ...
    def jacobian(
        self,
        q: ArrayLike,
        frame: _Frame | None = None,
        *,
        relative_to: _Frame | None = None,
        expressed_in: _Frame | None = None,
        point: ArrayLike | None = None,
        out: _Floats | None = None,
    ) -> _Floats: ...
    def jacobian_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: _Frame | None = None,
        *,
        relative_to: _Frame | None = None,
        expressed_in: _Frame | None = None,
        point: ArrayLike | None = None,
    ) -> _Floats: ...
    def centre_of_mass(self, q: ArrayLike) -> _Floats: ...
    def ik(
        self,
        target: ArrayLike,
        rotation: ArrayLike | None = None,
        *,
        frame: _Frame | None = None,
        start: ArrayLike | None = None,
        all: bool = False,
        restarts: int = 50,
        tolerance: float = 1e-10,
        seed: int = 1,
        nearest: bool | None = None,
        on_failure: str = "raise",
        method: str = "automatic",
        obstacles: Iterable[Mapping[str, Any]] | None = None,
    ) -> Any: ...  # (nq,) or (N, nq); with on_failure="nan" an InverseKinematics
    def ik_closed_form(
        self, target: ArrayLike, rotation: ArrayLike | None = None, *, frame: _Frame | None = None
    ) -> _Floats: ...
    def posture_names(self, q: ArrayLike, *, frame: _Frame | None = None) -> dict[str, str]: ...
    def arm_structure(self, *, frame: _Frame | None = None) -> str: ...
    def joint_rates(
        self,
        q: ArrayLike,
        twist: ArrayLike,
        *,
        frame: _Frame | None = None,
        position_only: bool = False,
    ) -> JointRates: ...
    def joint_accelerations(
        self,
        q: ArrayLike,
        v: ArrayLike,
        acceleration: ArrayLike,
        *,
        frame: _Frame | None = None,
        position_only: bool = False,
    ) -> JointRates: ...
    def follow(
        self,
        motion: PoseMotion,
        *,
        frame: _Frame | None = None,
        start: ArrayLike | None = None,
        position_only: bool = False,
        free: str = "",
        within_velocity_limits: bool = False,
    ) -> Trajectory: ...
    def fastest_scale(
        self,
        trajectory: Trajectory,
        *,
        rates: ArrayLike | None = None,
        efforts: ArrayLike | None = None,
        samples: int = 400,
    ) -> float: ...
    # dynamics
    def inverse_dynamics(
        self,
        q: _Named,
        v: _Named | None = None,
        a: _Named | None = None,
        *,
        method: str | None = None,
        wrenches: _Wrenches | None = None,
        speeds: str | Mapping[str, str] | None = None,
        actuated: str | Iterable[str | int] | None = None,
        level: str | None = None,
        out: _Floats | None = None,
    ) -> _Floats: ...
    def forward_dynamics(
        self,
        q: _Named,
        v: _Named | None = None,
        tau: _Named | None = None,
        *,
        method: str | None = None,
        wrenches: _Wrenches | None = None,
        speeds: str | Mapping[str, str] | None = None,
        level: str | None = None,
        closing: str | None = None,
        out: _Floats | None = None,
    ) -> _Floats: ...
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        method: str | None = None,
        out: _Floats | None = None,
        independent: bool | _Names | None = None,
    ) -> _Floats: ...
    def coriolis(self, q: ArrayLike, v: ArrayLike, *, out: _Floats | None = None) -> _Floats: ...
    def gravity(
        self,
        q: ArrayLike,
        *,
        out: _Floats | None = None,
        independent: bool | _Names | None = None,
    ) -> _Floats: ...
    def bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: _Floats | None = None,
        independent: bool | _Names | None = None,
    ) -> _Floats: ...
    def passive(self, q: ArrayLike, v: ArrayLike, *, out: _Floats | None = None) -> _Floats: ...
    def energy(self, q: ArrayLike, v: ArrayLike | None = None) -> Energy: ...
    def elements(self, q: ArrayLike, v: ArrayLike | None = None) -> dict[str, dict[str, float]]: ...
    def momentum(self, q: ArrayLike, v: ArrayLike) -> _Floats: ...
    def energy_rate(self, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> Energy: ...
    def centroidal_momentum(self, q: ArrayLike, v: ArrayLike) -> _Floats: ...
    def centroidal_momentum_matrix(self, q: ArrayLike) -> _Floats: ...
    def centroidal_momentum_matrix_rate(self, q: ArrayLike, v: ArrayLike) -> _Floats: ...
    def reactions(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        wrenches: _Wrenches | None = None,
        at: _Frame | None = None,
        expressed_in: _Frame | None = None,
        actuated: str | Iterable[str | int] | None = None,
    ) -> dict[str, _Floats]: ...
    def influence_coefficients(
        self,
        q: ArrayLike,
        frame: _Frame | None = None,
        *,
        inputs: _Names | None = None,
        point: ArrayLike | None = None,
        wrenches: _Wrenches | None = None,
    ) -> InfluenceCoefficients: ...
    def kane(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        speeds: str | Mapping[str, str] | None = None,
        time: float = 0.0,
        wrenches: _Wrenches | None = None,
        actuated: str | Iterable[str | int] | None = None,
    ) -> KaneQuantities: ...
    def matrices(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        wrenches: _Wrenches | None = None,
        actuated: str | Iterable[str | int] | None = None,
    ) -> LinkMatrices: ...
    def lagrange_coefficients(
        self, q: ArrayLike, *, independent: str | Iterable[str | int] | None = None
    ) -> LagrangeCoefficients: ...
    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None
    ) -> InverseDerivatives: ...
    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None
    ) -> ForwardDerivatives: ...
    def regressor(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        terms: str | Iterable[str] | None = None,
        out: _Floats | None = None,
    ) -> _Floats: ...
    def parameters(self, *, terms: str | Iterable[str] | None = None) -> dict[str, float]: ...
    def base_parameters(
        self, *, method: str = "rank", terms: str | Iterable[str] | None = None, seed: int = 1
    ) -> BaseParameters: ...
    def identify(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        tau: ArrayLike,
        *,
        terms: str | Iterable[str] | None = None,
    ) -> Identification: ...
    def excitation(
        self,
        *,
        period: float = 10.0,
        samples: int = 500,
        harmonics: int = 5,
        candidates: int = 20,
        velocity: float = 2.0,
        acceleration: float = 5.0,
        seed: int = 1,
        terms: str | Iterable[str] | None = None,
        from_rest: bool = False,
    ) -> SampledMotion: ...
    def regressor_condition(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, terms: str | Iterable[str] | None = None
    ) -> float: ...
    def _identify_logs(
        self,
        logs: Iterable[MeasuredLog],
        *,
        validate: Iterable[MeasuredLog] | None = None,
        terms: str | Iterable[str] | None = None,
    ) -> LogIdentification: ...
    def identify_logs(
        self,
        logs: _Logs,
        *,
        validate: _Logs | None = None,
        terms: str | Iterable[str] | None = None,
        columns: Mapping[str, str] | None = None,
        cutoff: float | None = None,
        recorded_rates: bool = False,
    ) -> LogIdentification: ...
    def efforts_along(
        self,
        log: _Log,
        *,
        method: str | None = None,
        actuated: _Names | None = None,
        columns: Mapping[str, str] | None = None,
        cutoff: float | None = None,
        recorded_rates: bool = False,
    ) -> LogEfforts: ...
    # loops
    def assemble(
        self,
        q: _Named | None = None,
        *,
        held: _Names | None = None,
        method: str = "gauss-newton",
        all: bool = False,
        restarts: int = 100,
        seed: int = 1,
        tolerance: float = 1e-10,
    ) -> _Floats: ...
    def closure(self, q: ArrayLike, v: ArrayLike | None = None) -> Closure: ...
    @overload
    def mobility(self, q: None = None) -> Mobility: ...
    @overload
    def mobility(self, q: ArrayLike) -> Any: ...  # Mobility, of a batch a list
    def complete(
        self, q: _Named | None = None, v: _Named | None = None, a: _Named | None = None
    ) -> tuple[_Floats, _Floats, _Floats]: ...
    def closing_joints(
        self, q: _Named, v: _Named | None = None, a: _Named | None = None
    ) -> dict[str, ClosingJoint]: ...
    def independent_map(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        independent: str | Iterable[str | int] | None = None,
    ) -> IndependentMap: ...
    def loop_efforts(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        actuated: str | Iterable[str | int] | None = None,
        weights: ArrayLike | None = None,
        wrenches: _Wrenches | None = None,
    ) -> LoopEfforts: ...
    # platforms
    def platform(self, *, actuated: _Names | None = None, body: _Frame | None = None) -> Platform: ...
    # flexible links
    @property
    def flexible_links(self) -> list[FlexibleLink]: ...
    def deflection(self, q: ArrayLike) -> dict[str, _Floats]: ...
    def section_moments(self, q: ArrayLike, *, at: float = ...) -> dict[str, _Floats]: ...
    def elastic_energy(self, q: ArrayLike) -> float | _Floats: ...
    def curve(self, q: ArrayLike, body: str, *, points: int = 21) -> _Floats: ...
    def elastic_modes(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        locked: _Names | None = None,
        rigid: Iterable[str] | None = None,
        level: str = "exact",
    ) -> ElasticModes: ...
    def elastic_equations(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        level: str = "exact",
        wrenches: _Wrenches | None = None,
    ) -> tuple[_Floats, _Floats]: ...
    def with_rigid_links(self, bodies: str | Sequence[str] | None = None) -> Robot: ...
    def with_bending_modes(self, modes: int) -> Robot: ...
    def with_geometrically_exact_links(self, *, elements: int = ..., shear: bool = ...) -> Robot: ...
    # structures
    def modes(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        count: int = 6,
        locked: _Names | None = None,
        elastic: _Elastic | None = None,
        theory: str = "euler-bernoulli",
        mass: str = "consistent",
        rotatory: bool = False,
        terms: _Names | None = None,
        damped: bool = False,
        freedoms: _Names | None = None,
        refine: int | str | None = None,
    ) -> Modes: ...
    def modes_sweep(
        self, parameter: str, values: Iterable[Any], *, q: Any = None, **options: Any
    ) -> ModesAlong: ...
    def modes_map(
        self,
        ranges: Mapping[str, Sequence[float]],
        *,
        q: Any = None,
        frame: _Frame | None = None,
        **options: Any,
    ) -> ModesMap: ...
    def modes_along(
        self,
        q: ArrayLike,
        *,
        count: int = 6,
        locked: _Names | None = None,
        elastic: _Elastic | None = None,
        theory: str = "euler-bernoulli",
        mass: str = "consistent",
        rotatory: bool = False,
        freedoms: _Names | None = None,
    ) -> ModesAlong: ...
    def structure_matrices(
        self,
        q: ArrayLike | None = None,
        *,
        locked: _Names | None = None,
        elastic: _Elastic | None = None,
        theory: str = "euler-bernoulli",
        mass: str = "consistent",
        rotatory: bool = False,
        freedoms: _Names | None = None,
    ) -> StructureMatrices: ...
    def condense(
        self,
        q: ArrayLike | None = None,
        *,
        method: str = "guyan",
        keep: int | None = None,
        count: int = 6,
        interface: _Frame | None = None,
        frequency: float | None = None,
        locked: _Names | None = None,
        elastic: _Elastic | None = None,
        theory: str = "euler-bernoulli",
        mass: str = "consistent",
        rotatory: bool = False,
        freedoms: _Names | None = None,
    ) -> Condensation: ...
    def static_deflection(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        frame: _Frame | None = None,
        gravity: bool = True,
        forces: Mapping[str, ArrayLike] | None = None,
        locked: _Names | None = "all",
        elastic: _Elastic | None = None,
        theory: str = "euler-bernoulli",
        mass: str = "consistent",
        rotatory: bool = False,
        freedoms: _Names | None = None,
    ) -> StaticDeflection: ...
    def load_factors(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        count: int = 1,
        gravity: bool = True,
        forces: Mapping[str, ArrayLike] | None = None,
        locked: _Names | None = "all",
        elastic: _Elastic | None = None,
        theory: str = "euler-bernoulli",
        mass: str = "consistent",
        rotatory: bool = False,
        freedoms: _Names | None = None,
    ) -> _Floats: ...
    def direction_cosines(
        self, q: ArrayLike | None = None, *, method: str = "cross-product"
    ) -> dict[str, _Floats]: ...
    def frequency_response(
        self,
        from_: str,
        to: str,
        frequencies: ArrayLike,
        q: ArrayLike | None = None,
        *,
        damping: float | None = None,
        rayleigh: ArrayLike | None = None,
        count: int = 0,
        locked: _Names | None = None,
        elastic: _Elastic | None = None,
        theory: str = "euler-bernoulli",
        mass: str = "consistent",
        rotatory: bool = False,
        freedoms: _Names | None = None,
    ) -> NDArray[np.complex128]: ...
    def transient_response(
        self,
        from_: str,
        to: _Names,
        times: ArrayLike,
        q: ArrayLike | None = None,
        *,
        load: str | ArrayLike = "step",
        amplitude: float = 1.0,
        damping: float | None = None,
        rayleigh: ArrayLike | None = None,
        count: int = 0,
        locked: _Names | None = None,
        elastic: _Elastic | None = None,
        theory: str = "euler-bernoulli",
        mass: str = "consistent",
        rotatory: bool = False,
        freedoms: _Names | None = None,
    ) -> _Floats: ...
    def stability_surface(
        self,
        *,
        body: str | None = None,
        spin: ArrayLike | None = None,
        axial: ArrayLike | None = None,
    ) -> StabilitySurface: ...
    def minimum_time(
        self,
        trajectory: Trajectory,
        *,
        rates: ArrayLike | None = None,
        efforts: ArrayLike | None = None,
        intervals: int = 1000,
    ) -> tuple[Trajectory, Timing]: ...
    # systems, code, reports
    def linearize(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        frame: _Frame | None = None,
        independent: _Names | None = None,
        actuators: _Names | None = None,
        outputs: str | Sequence[str] | None = None,
    ) -> LinearSystem: ...
    def equilibrium(
        self, start: ArrayLike | None = None, tau: ArrayLike | None = None
    ) -> Equilibrium: ...
    def generate(
        self,
        function: str = "inverse",
        language: str = "c",
        *,
        frame: _Frame | None = None,
        symbolic: Sequence[str] = ...,
        method: str = "",
        speeds: str | Mapping[str, str] | None = None,
        precision: str = "double",
        fixed_names: bool = False,
        snap: float = 0.0,
        thorough: float = 0.0,
        at_most: tuple[int, int] | None = None,
        actuated: str | Iterable[str | int] | None = None,
        posture: ArrayLike | None = None,
    ) -> Generated: ...
    def compile(
        self,
        function: str = "inverse_dynamics",
        *,
        frame: _Frame | None = None,
        compiler: str = "",
        cache: bool = True,
    ) -> CompiledFunction: ...
    def verify(self, *, states: int = 100, seed: int = 1) -> Verification: ...
    def view_html(
        self, q: ArrayLike | None = None, *, title: str = "", packages: Mapping[str, str] = ...
    ) -> str: ...

class Dynamics:
    def __init__(
        self,
        robot: Robot,
        *,
        method: str | None = None,
        level: str | None = None,
        actuated: str | Iterable[str | int] | None = None,
        weights: ArrayLike | None = None,
        closing: str | None = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def robot(self) -> Robot: ...
    @property
    def methods(self) -> dict[str, str]: ...
    def inverse(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        wrenches: _Wrenches | None = None,
    ) -> _Floats: ...
    def forward(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        wrenches: _Wrenches | None = None,
    ) -> _Floats: ...
    def mass_matrix(self, q: ArrayLike) -> _Floats: ...
    def equations(
        self, q: ArrayLike, v: ArrayLike | None = None, *, independent: _Names | None = None
    ) -> EquationsOfMotion: ...
    def reactions(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        wrenches: _Wrenches | None = None,
        at: _Frame | None = None,
        expressed_in: _Frame | None = None,
    ) -> dict[str, _Floats]: ...
    def energy(self, q: ArrayLike, v: ArrayLike | None = None) -> Energy: ...
    def derivatives(
        self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None
    ) -> LinearTerms: ...

class Platform:
    @property
    def robot(self) -> Robot: ...
    @property
    def closed_form(self) -> bool: ...
    @property
    def body(self) -> str: ...
    @property
    def legs(self) -> list[str]: ...
    @property
    def kinds(self) -> list[str]: ...
    @property
    def dof(self) -> int: ...
    @property
    def basis(self) -> _Floats: ...
    @property
    def home(self) -> _Floats: ...
    @property
    def radius(self) -> float: ...
    @property
    def actuated(self) -> list[str]: ...
    def __repr__(self) -> str: ...
    def __getstate__(self) -> tuple[Any, ...]: ...
    def __setstate__(self, arg0: tuple[Any, ...]) -> None: ...
    def drives(self, pose: ArrayLike) -> _Floats: ...
    def inverse(
        self, pose: ArrayLike, twist: ArrayLike | None = None, acceleration: ArrayLike | None = None
    ) -> LegMotion: ...
    def jacobian(self, pose: ArrayLike) -> _Floats: ...
    def basis_at(self, pose: ArrayLike) -> _Floats: ...
    def leg_map(self, pose: ArrayLike) -> tuple[_Floats, _Floats]: ...
    def direct(
        self, drives: ArrayLike, start: ArrayLike | None = None, *, continuation: bool = False
    ) -> _Floats: ...
    def direct_all(
        self, drives: ArrayLike, *, starts: int | None = None, seed: int = 1
    ) -> _Floats: ...
    def all_poses(
        self, drives: ArrayLike, *, starts: int | None = None, seed: int | None = None
    ) -> PlatformPoses: ...
    def at_pose(self, pose: ArrayLike) -> PlatformPosture: ...
    def at_drives(self, drives: ArrayLike) -> PlatformPosture: ...
    def twist(self, pose: ArrayLike, rates: ArrayLike | Mapping[str, float]) -> _Floats: ...
    def acceleration(
        self, pose: ArrayLike, twist: ArrayLike, accelerations: ArrayLike | Mapping[str, float]
    ) -> _Floats: ...
    def singularity(self, pose: ArrayLike) -> PlatformSingularity: ...
    def stiffness(
        self, pose: ArrayLike, drive_stiffness: ArrayLike, *, wrenches: _Wrenches | None = None
    ) -> _Floats: ...
    def check(
        self,
        pose: ArrayLike,
        *,
        ball_angle: float = ...,
        leg_radius: float = 0.0,
        worst_condition: float = 1e9,
    ) -> Any: ...  # str, of a batch a list
    def workspace(
        self,
        first: Sequence[Any],
        second: Sequence[Any],
        *,
        middle: ArrayLike | None = None,
        ball_angle: float = ...,
        leg_radius: float = 0.0,
        worst_condition: float = 1e9,
    ) -> WorkspaceSlice: ...
    def quality(
        self,
        pose: ArrayLike,
        *,
        speed_limit: ArrayLike | None = None,
        effort_limit: ArrayLike | None = None,
        errors: ArrayLike | None = None,
    ) -> PlatformQuality: ...
    def nearest_singularity(self, pose: ArrayLike) -> NearestSingularity: ...
    def working_modes(self, pose: ArrayLike) -> WorkingModes: ...
    def _held_along(self, q: ArrayLike) -> tuple[_Floats, _Floats, _Floats]: ...
    def inverse_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        *,
        wrench: ArrayLike | None = None,
        wrenches: _Wrenches | None = None,
    ) -> _Floats: ...
    def forward_dynamics(
        self,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        efforts: ArrayLike | Mapping[str, float] | None = None,
        *,
        wrench: ArrayLike | None = None,
        wrenches: _Wrenches | None = None,
    ) -> _Floats: ...
    def equations(self, pose: ArrayLike, twist: ArrayLike | None = None) -> PlatformEquations: ...
    def posture(self, pose: ArrayLike) -> _Floats: ...
    def posture_rates(
        self, q: ArrayLike, twist: ArrayLike | None = None, acceleration: ArrayLike | None = None
    ) -> tuple[_Floats, _Floats]: ...
    def pose(self, q: ArrayLike) -> _Floats: ...

class RobotBuilder:
    name: str
    description: str
    loop_tolerance: float
    @property
    def bodies(self) -> list[str]: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def constraints(self) -> list[str]: ...
    @property
    def frames(self) -> list[str]: ...
    @property
    def payloads(self) -> list[str]: ...
    @property
    def elements(self) -> list[str]: ...
    def __copy__(self) -> RobotBuilder: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> RobotBuilder: ...
    def __setstate__(self, state: Any) -> None: ...
    def edit_body(
        self,
        name: str,
        *,
        mass: float | None = None,
        centre: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
    ) -> RobotBuilder: ...
    def edit_joint(
        self,
        name: str,
        *,
        type: str | None = None,
        parent: str | None = None,
        child: str | None = None,
        axis: ArrayLike | None = None,
        at: ArrayLike | None = None,
        child_at: ArrayLike | None = None,
        dh: Mapping[str, Any] | None = None,
        axis2: ArrayLike | None = None,
        pitch: float | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        effort: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        friction: ArrayLike | None = None,
        stiffness: ArrayLike | None = None,
        rest: ArrayLike | None = None,
        rotor_inertia: ArrayLike | None = None,
        gear_ratio: ArrayLike | None = None,
        hardening: ArrayLike | None = None,
        backlash: ArrayLike | None = None,
        mimic: str | Sequence[Any] | None = None,
        cut: bool | None = None,
    ) -> RobotBuilder: ...
    def edit_frame(
        self, name: str, *, body: str | None = None, at: ArrayLike | None = None
    ) -> RobotBuilder: ...
    def edit_payload(
        self,
        name: str,
        *,
        body: str | None = None,
        mass: float | None = None,
        centre: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        at: ArrayLike | None = None,
    ) -> RobotBuilder: ...
    def remove(self, kind: str, name: str) -> RobotBuilder: ...
    @property
    def gravity(self) -> _Floats: ...
    @gravity.setter
    def gravity(self, arg1: ArrayLike) -> None: ...
    def __init__(
        self, name: str, *, gravity: ArrayLike | None = None, description: str = ""
    ) -> None: ...
    def build(self) -> Robot: ...
    def body(
        self,
        name: str,
        mass: float = 0.0,
        *,
        centre: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
    ) -> RobotBuilder: ...
    def joint(
        self,
        name: str,
        type: str,
        parent: str,
        child: str,
        *,
        axis: ArrayLike | None = None,
        at: ArrayLike | None = None,
        child_at: ArrayLike | None = None,
        dh: Mapping[str, Any] | None = None,
        axis2: ArrayLike | None = None,
        pitch: float = 0.0,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        effort: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        friction: ArrayLike | None = None,
        stiffness: ArrayLike | None = None,
        rest: ArrayLike | None = None,
        rotor_inertia: ArrayLike | None = None,
        gear_ratio: ArrayLike | None = None,
        hardening: ArrayLike | None = None,
        backlash: ArrayLike | None = None,
        mimic: str | Sequence[Any] | None = None,
        cut: bool = False,
    ) -> RobotBuilder: ...
    def element(
        self,
        name: str,
        type: str,
        from_: str | Mapping[str, Any] | None = None,
        to: str | Mapping[str, Any] | None = None,
        **keys: Any,
    ) -> RobotBuilder: ...
    def beam(
        self,
        body: str,
        *,
        length: float | None = None,
        from_: ArrayLike | None = None,
        to: ArrayLike | None = None,
        reference: ArrayLike | None = None,
        material: str | Mapping[str, float] | None = None,
        section: Mapping[str, Any] | None = None,
        sections: Sequence[Mapping[str, Any]] | None = None,
        elements: int | None = None,
        attached: Sequence[Mapping[str, Any]] | None = None,
        flexible: Mapping[str, Any] | None = None,
        name: str = "",
        **kwargs: float,
    ) -> RobotBuilder: ...
    def bushings(self, joint: str, bushings: Sequence[Mapping[str, object]]) -> RobotBuilder: ...
    def elastic_transmission(
        self,
        joint: str,
        stiffness: float,
        *,
        hardening: float = 0.0,
        backlash: float = 0.0,
        damping: float = 0.0,
        friction: float = 0.0,
    ) -> RobotBuilder: ...
    def elastic_drive(
        self,
        joint: str,
        stiffness: float,
        *,
        hardening: float = 0.0,
        backlash: float = 0.0,
        damping: float = 0.0,
        friction: float = 0.0,
    ) -> RobotBuilder: ...
    def distance(
        self,
        name: str,
        parent: str,
        child: str,
        length: float,
        *,
        parent_point: ArrayLike | None = None,
        child_point: ArrayLike | None = None,
    ) -> RobotBuilder: ...
    def coupling(
        self, name: str, terms: Mapping[Any, float | Sequence[float]], offset: float = 0.0
    ) -> RobotBuilder: ...
    def frame(self, name: str, body: str, at: ArrayLike | None = None) -> RobotBuilder: ...
    def payload(
        self,
        name: str,
        body: str,
        mass: float,
        *,
        centre: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        at: ArrayLike | None = None,
    ) -> RobotBuilder: ...
    def geometry(
        self,
        body: str,
        shape: str,
        size: ArrayLike,
        *,
        at: ArrayLike | None = None,
        colour: ArrayLike | None = None,
    ) -> RobotBuilder: ...

class Motion:
    def __copy__(self, memo: dict[int, Any] | None = None) -> Motion: ...
    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Motion: ...
    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: Sequence[float] | NDArray[Any]) -> _Floats: ...
    @overload
    def rate(self, t: float) -> float: ...
    @overload
    def rate(self, t: Sequence[float] | NDArray[Any]) -> _Floats: ...
    @overload
    def acceleration(self, t: float) -> float: ...
    @overload
    def acceleration(self, t: Sequence[float] | NDArray[Any]) -> _Floats: ...
    @overload
    def jerk(self, t: float) -> float: ...
    @overload
    def jerk(self, t: Sequence[float] | NDArray[Any]) -> _Floats: ...
    @property
    def duration(self) -> float: ...
    @property
    def breakpoints(self) -> list[float]: ...
    def peaks(
        self, begin: float = 0.0, end: float | None = None
    ) -> dict[str, tuple[float, float]]: ...
    def delayed(self, delay: float) -> Motion: ...
    def faster(self, by: float) -> Motion: ...
    def __add__(self, other: Motion | float) -> Motion: ...
    def __radd__(self, other: float) -> Motion: ...
    def __sub__(self, other: Motion | float) -> Motion: ...
    def __rsub__(self, other: float) -> Motion: ...
    def __mul__(self, other: float) -> Motion: ...
    def __rmul__(self, other: float) -> Motion: ...
    def __neg__(self) -> Motion: ...

class PoseMotion:
    def __copy__(self, memo: dict[int, Any] | None = None) -> PoseMotion: ...
    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> PoseMotion: ...
    def at(self, t: float) -> tuple[_Floats, _Floats, _Floats]: ...
    @property
    def duration(self) -> float: ...
    @property
    def breakpoints(self) -> list[float]: ...

class Trajectory:
    def __copy__(self, memo: dict[int, Any] | None = None) -> Trajectory: ...
    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Trajectory: ...
    def at(self, t: ArrayLike) -> tuple[_Floats, _Floats, _Floats]: ...
    def __len__(self) -> int: ...
    def coordinate(self, k: int) -> Motion: ...
    def faster(self, by: float) -> Trajectory: ...
    @property
    def duration(self) -> float: ...
    @property
    def breakpoints(self) -> list[float]: ...

class CompiledFunction:
    def __call__(self, /, *args: ArrayLike | None, **kwargs: ArrayLike | None) -> Any: ...
    @property
    def name(self) -> str: ...
    def __getattr__(self, name: str) -> Any: ...
    @property
    def robot(self) -> Robot: ...
    def __copy__(self) -> CompiledFunction: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledFunction: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def outputs(self) -> list[str]: ...
    @property
    def operations(self) -> dict[str, int]: ...
    @property
    def compiled(self) -> bool: ...
    @property
    def from_cache(self) -> bool: ...
    @property
    def warning(self) -> str: ...

class Experiment:
    duration: float
    def __init__(
        self,
        robot: Robot,
        duration: float,
        *,
        q: _Named | None = None,
        v: _Named | None = None,
        name: str = "",
    ) -> None: ...
    def __copy__(self) -> Experiment: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Experiment: ...
    def __setstate__(self, state: Any) -> None: ...
    @staticmethod
    def read(path: str | os.PathLike[str]) -> Experiment: ...
    @staticmethod
    def loads(text: str, *, name: str = "text") -> Experiment: ...
    @property
    def robot(self) -> Robot: ...
    @property
    def name(self) -> str: ...
    @property
    def q(self) -> _Floats | None: ...
    @property
    def v(self) -> _Floats | None: ...
    def start(self, q: _Named | None = None, v: _Named | None = None) -> Experiment: ...
    def motion(self, times: ArrayLike | None = None) -> SampledMotion: ...
    def timing(
        self,
        kind: str = "minimum-time",
        *,
        scale: float = 1.0,
        rates: ArrayLike | None = None,
        efforts: ArrayLike | None = None,
        intervals: int = 1000,
    ) -> Timing: ...
    def linearize(
        self, times: ArrayLike | None = None, *, frame: _Frame | None = None
    ) -> LinearAlong: ...
    def influence_coefficients(
        self,
        frame: _Frame | None = None,
        *,
        inputs: _Names | None = None,
        point: ArrayLike | None = None,
        interval: float | None = None,
    ) -> InfluenceCoefficients: ...
    def platform_path(
        self,
        *,
        actuated: _Names | None = None,
        body: _Frame | None = None,
        interval: float | None = None,
    ) -> PlatformPath: ...
    def move(
        self, joint: str | Iterable[str], motion: _Function | Sequence[_Function]
    ) -> Experiment: ...
    def follow(self, trajectory: Trajectory) -> Experiment: ...
    def effort(
        self, joint: str | Iterable[str], effort: _Function | Sequence[_Function]
    ) -> Experiment: ...
    def efforts(
        self,
        t: ArrayLike,
        efforts: ArrayLike | Mapping[str, ArrayLike],
        *,
        interpolation: str = "linear",
    ) -> Experiment: ...
    def lock(self, joint: str | Iterable[str]) -> Experiment: ...
    def free(self, joint: str | Iterable[str]) -> Experiment: ...
    def control(
        self,
        law: str | Callable[..., ArrayLike],
        joints: str | Iterable[str] | None = None,
        *,
        kp: ArrayLike | Mapping[str, ArrayLike] = 0.0,
        kd: ArrayLike | Mapping[str, ArrayLike] = 0.0,
        ki: ArrayLike | Mapping[str, ArrayLike] | None = None,
        gravity: bool = False,
        limit: ArrayLike | Mapping[str, ArrayLike] | None = None,
        integral_limit: ArrayLike | Mapping[str, ArrayLike] | None = None,
        rate: float | None = None,
        reference: bool = False,
    ) -> Experiment: ...
    def input(
        self,
        name: str,
        force: _Function | None = None,
        *,
        law: Callable[[float, _Floats, _Floats], float] | None = None,
        delivers: str | None = None,
    ) -> Experiment: ...
    def wrench(
        self,
        body: str,
        *,
        force: Sequence[_Function] | Callable[[float], ArrayLike] | None = None,
        moment: Sequence[_Function] | Callable[[float], ArrayLike] | None = None,
        point: ArrayLike | None = None,
        expressed_in: _Frame | None = None,
    ) -> Experiment: ...
    def contact(
        self,
        frame: _Frame,
        *,
        radius: float = 0.0,
        axis: ArrayLike | None = None,
        point: ArrayLike | None = None,
        plane: _Frame = "world",
        plane_point: ArrayLike | None = None,
        normal: ArrayLike | None = None,
        restitution: float = 0.0,
        friction: float = 0.0,
        rest_speed: float = 1e-4,
        static_friction: float | None = None,
        stribeck_speed: float = 0.0,
        rolling_resistance: float = 0.0,
        name: str = "",
    ) -> Experiment: ...
    def impacts(self, law: str) -> Experiment: ...
    def friction_at_rest(
        self, joint: str, effort: float, stribeck_speed: float = 0.0
    ) -> Experiment: ...
    def rolling(
        self,
        frame: _Frame,
        radius: float,
        *,
        axis: ArrayLike | None = None,
        point: ArrayLike | None = None,
        plane: _Frame = "world",
        plane_point: ArrayLike | None = None,
        normal: ArrayLike | None = None,
        name: str = "",
    ) -> Experiment: ...
    def knife_edge(
        self,
        frame: _Frame,
        directions: ArrayLike,
        *,
        point: ArrayLike | None = None,
        on: str = "world",
        name: str = "",
    ) -> Experiment: ...
    def add(
        self,
        *,
        sensors: Sequence[Mapping[str, Any]] = ...,
        actuators: Mapping[str, Mapping[str, Any]] = ...,
        controllers: Sequence[Mapping[str, Any]] = ...,
        events: Sequence[Mapping[str, Any]] = ...,
    ) -> Experiment: ...
    def stop_when(
        self,
        channel: str,
        *,
        above: float | None = None,
        below: float | None = None,
        passes: float | None = None,
        name: str = "",
        go_on: bool = False,
    ) -> Experiment: ...
    def feel_limits(self, restitution: float = 0.0, rest_speed: float = 1e-4) -> Experiment: ...
    def integrator(
        self,
        method: str | None = None,
        *,
        rtol: float | None = None,
        atol: float | None = None,
        step: float | None = None,
        largest_step: float | None = None,
        most_steps: int | None = None,
    ) -> Experiment: ...
    def record(
        self,
        channels: str | Sequence[str] | None = None,
        *,
        interval: float | None = None,
        interpolate: bool = False,
    ) -> Experiment: ...
    def elastic(self, level: str, *, elements: int = ..., shear: bool = ...) -> Experiment: ...
    def method(self, method: str | None = None, *, closing: str | None = None) -> Experiment: ...
    def inverse(self) -> Experiment: ...
    def check(self) -> None: ...

def _study_rows(study: str, is_text: bool, first: int, end: int, threads: int) -> Any: ...
def _function_rows(study: str, is_text: bool, first: int, end: int, run: Any) -> Any: ...
def _study_searches(study: str, is_text: bool, goal: dict[str, Any], threads: int, run: Any) -> Any: ...
