// The data of a report as it stands in the page (src/report/report.cpp writes it), and its decoding.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w, x, y, z

export interface Shape {
  kind: 'box' | 'cylinder' | 'sphere' | 'capsule' | 'taper' | 'mesh';
  role: 'link' | 'joint' | 'base' | 'given';
  body: number;
  position: Vec3;
  quaternion: Quat;
  size: Vec3;
  colour?: [number, number, number, number];
  mesh?: number; // index into meshes; size is its scale
}

export interface NamedFrame {
  name: string;
  body: number;
  position: Vec3;
  quaternion: Quat;
}

/** A flexible link: points of its axis in its body's frame, base64 of float32; or a rigid end of it, from a section to a joint. */
export interface Beam {
  name: string;
  body: number;
  end: boolean; // rigid
  radius: number;
  rest: string; // 3 for each point
  deflection: string; // 3 for each point, at every record
}

/** Mode shapes of a frame, for one posture or along a sweep; arrays are base64 of float32. */
export interface ModesData {
  parameter: string;
  members: number[][]; // indices of nodes
  steps: {label: string; value: number; nodes: string; modes: {hz: number; damping: number; note: string; shape: string}[]}[];
}

export interface Robot {
  name: string;
  description: string;
  mass: number;
  speeds: number;
  reach: number;
  left_out: string[];
  meshes: {low: Vec3; size: Vec3; corners: string}[];
  bodies: string[];
  frames: NamedFrame[];
  tip: string;
  joints: {name: string; body: number; position: Vec3}[];
  axes: {joint: string; body: number; position: Vec3; direction: Vec3}[];
  loops: {name: string; rod: boolean; parent: number; parent_point: Vec3; child: number; child_point: Vec3}[];
  elements?: {name: string; type: string; points: {body: number; point: Vec3}[]; axis?: Vec3}[];
  shapes: Shape[];
}

export interface Channel {
  name: string;
  unit: string;
  group: string;
  label: string;
  least: number;
  greatest: number;
  t_least: number;
  t_greatest: number;
  limits?: [number | null, number | null];
  records_over?: number;
  values: Float32Array;
}

/** Poses of all bodies but the world at every time, quantised; see pose_track.hpp. */
export interface Track {
  time: Float64Array;
  low: Vec3;
  size: Vec3;
  position: Uint16Array;
  quaternion: Int16Array;
  centre?: Float32Array;
}

export interface Pose {
  position: Vec3;
  quaternion: Quat;
}

/** A joint of the tree: X_parent_child = before * motion(q) * after. */
export interface Slider {
  joint: string;
  parent: number;
  child: number;
  coordinate: number; // -1: it does not move
  from: number;
  to: number;
  before: Pose;
  after: Pose;
  samples: Pose[];
}

export interface Coordinate {
  name: string;
  unit: string;
  value: number;
  lower: number | null;
  upper: number | null;
  from: number; // of its slider
  to: number;
  speed: number; // index of its rate; -1: it stays
  turns: boolean; // a whole turn changes nothing
}

/** The frames that Ulna's generated JavaScript has Jacobians of; see kinematics.ts. */
export interface KinematicsData {
  frames: {name: string; index: number}[];
  count: number; // of all frames; the first are those of the bodies
  speeds: number;
  loops?: LoopsData; // of the open tree that the kinematics is of
  tangents?: Tangent[];
}

/** What closes a loop: frames on its two sides, and what it holds between them. */
export interface Closure {
  name: string;
  holds: 'coupling' | 'distance' | 'fixed' | 'revolute' | 'prismatic' | 'screw' | 'cylindrical' | 'universal' | 'spherical' | 'planar' | 'free' | 'sphere-in-groove';
  parent?: number;
  child?: number;
  length?: number;
  pitch?: number;
  axis2?: Vec3; // universal: the second axis, on the child's side
  cosine?: number; // between its axes
  terms?: {q: number; v: number; factor: number; higher: number[]}[]; // factor x + higher[0] x^2 + ...
  offset?: number;
}

export interface LoopsData {
  closures: Closure[];
  kept: number[]; // speeds of drives, which stay while the others follow
}

/** Coordinates of a joint from its speeds: quaternions of balls and free bodies turn. */
export interface Tangent {
  kind: 'line' | 'ball' | 'free';
  q: number;
  v: number;
  speeds: number;
}

export interface Run {
  title: string;
  time: Float64Array;
  channels: Channel[];
  poses: Track;
  summary: Record<string, unknown>;
}

export interface Report extends Run {
  kind: 'run' | 'pose' | 'modes';
  robot: Robot;
  moves: boolean;
  film?: boolean; // without plots and controls
  ghost?: Track;
  others: Run[]; // compared with
  sliders?: {coordinates: Coordinate[]; joints: Slider[]; sampled_because?: string};
  kinematics?: KinematicsData;
  beams?: Beam[];
  modes?: ModesData;
}

export function bytes(base64: string): ArrayBuffer {
  const direct = (Uint8Array as unknown as {fromBase64?: (text: string) => Uint8Array<ArrayBuffer>}).fromBase64;
  if (direct) return direct(base64).buffer;
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let k = 0; k < text.length; ++k) out[k] = text.charCodeAt(k);
  return out.buffer;
}

// The same as JSON has it: arrays of numbers are base64.

interface RawTrack {
  low: Vec3;
  size: Vec3;
  position: string;
  quaternion: string;
  centre?: string;
}

type RawChannel = Omit<Channel, 'values'> & {data: string};

interface RawRun {
  title: string;
  time: string;
  channels: RawChannel[];
  poses: RawTrack;
  summary: Record<string, unknown>;
}

interface RawReport extends RawRun, Pick<Report, 'kind' | 'robot' | 'moves' | 'film' | 'sliders' | 'beams' | 'modes' | 'kinematics'> {
  ulna: number;
  ghost?: RawTrack;
  others?: RawRun[];
}

function track(raw: RawTrack, time: Float64Array): Track {
  return {
    time,
    low: raw.low,
    size: raw.size,
    position: new Uint16Array(bytes(raw.position)),
    quaternion: new Int16Array(bytes(raw.quaternion)),
    centre: raw.centre === undefined ? undefined : new Float32Array(bytes(raw.centre)),
  };
}

/** Decoded when asked for: most channels are never looked at. */
function channel(raw: RawChannel): Channel {
  let values: Float32Array | undefined;
  const {data, ...rest} = raw;
  return Object.defineProperty(rest as Channel, 'values', {enumerable: true, get: () => values ??= new Float32Array(bytes(data))});
}

function run(raw: RawRun): Run {
  const time = new Float64Array(bytes(raw.time));
  return {
    title: raw.title,
    time,
    channels: raw.channels.map(channel),
    poses: track(raw.poses, time),
    summary: raw.summary,
  };
}

export function readReport(text: string): Report {
  const raw = JSON.parse(text) as RawReport;
  if (raw.ulna !== 1) throw new Error(`a report of version ${String(raw.ulna)}, which this page does not know`);
  const main = run(raw);
  return {
    ...main,
    kind: raw.kind,
    robot: raw.robot,
    moves: raw.moves,
    film: raw.film,
    ghost: raw.ghost && track(raw.ghost, main.time),
    others: (raw.others ?? []).map(run),
    sliders: raw.sliders,
    beams: raw.beams,
    modes: raw.modes,
    kinematics: raw.kinematics,
  };
}

/** The record at or before t, and how far t is towards the next one. */
export function locate(time: Float64Array, t: number): [number, number] {
  let low = 0, high = time.length - 1;
  if (high < 1 || t <= time[0]) return [0, 0];
  if (t >= time[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle; else high = middle;
  }
  const span = time[high] - time[low];
  return [low, span > 0 ? (t - time[low]) / span : 0];
}

export function valueAt(of: Channel, time: Float64Array, t: number): number {
  const [k, share] = locate(time, t);
  const a = of.values[k];
  return share === 0 ? a : a + share * (of.values[k + 1] - a);
}
