// node kinematics.mjs ULNA
//
// The kinematics in the page of `ulna view`, run in node: the generated JavaScript against `ulna fk` and
// `ulna jacobian`, and the inverse kinematics built on it.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import vm from 'node:vm';
import {build} from 'esbuild';

const ulnaProgram = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'ulna-web-'));
const ulna = (...words) => execFileSync(ulnaProgram, words, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});

await build({stdin: {contents: `export {Kinematics} from './src/kinematics'; export * from './src/inverse'; export * from './src/loops'; export * from './src/loop_inverse';`, resolveDir: '.', loader: 'ts'},
             bundle: true, format: 'esm', outfile: join(folder, 'page.mjs'), logLevel: 'warning'});
const {Kinematics, InverseKinematics, Loops, LoopInverse, turnBetween} = await import(join(folder, 'page.mjs'));

// Joints of every kind, one that follows another; the world's names are hostile.
writeFileSync(join(folder, 'mixed.yaml'), `ulna: 1
name: "mixed </script><script>throw 1</script> */ "
bodies:
${['a', 'b', 'c', 'd', 'e'].map((b) => `  - {name: "${b}</script>", mass: 1, inertia: [0.01, 0.01, 0.01]}`).join('\n')}
joints:
  - {name: turn, type: revolute, parent: world, child: "a</script>", axis: [1, 2, 3], at: [0, 0, 0.3]}
  - {name: "cross <!--", type: universal, parent: "a</script>", child: "b</script>", axis: [1, 0, 0], axis2: [0, 1, 0], at: [0.1, 0.2, 0.3]}
  - {name: slide, type: prismatic, parent: "b</script>", child: "c</script>", axis: [0, 1, 1], at: [0.3, 0, 0], limits: {lower: -0.2, upper: 0.4}}
  - {name: follow, type: revolute, parent: "c</script>", child: "d</script>", axis: [0, 0, 1], at: [0, 0.2, 0], mimic: {joint: turn, multiplier: -0.5, offset: 0.1}}
  - {name: ball, type: spherical, parent: "d</script>", child: "e</script>", at: [0.1, 0.1, 0.1]}
frames:
  - {name: tool, body: "e</script>", at: [0.1, 0.2, 0.3]}
`);

function load(robot, q = undefined) {
  ulna('view', robot, '-o', 'view.html', ...(q ? ['--q', q.join(',')] : []));
  const html = readFileSync(join(folder, 'view.html'), 'utf8');
  const scripts = [...html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
  assert.equal(scripts.length, 3, `${robot}: a name has ended a script`);
  const data = JSON.parse(scripts[0][2]), context = {};
  vm.runInNewContext(scripts[1][2], context);
  const {coordinates} = data.sliders;
  if (!context.ulnaKinematics) return {data, coordinates};
  const kinematics = new Kinematics(context.ulnaKinematics, data.kinematics);
  if (!data.kinematics.loops) return {data, coordinates, kinematics, inverse: new InverseKinematics(kinematics, coordinates, data.robot.reach)};
  const loops = new Loops(kinematics, data.kinematics.loops, data.kinematics.tangents, data.robot.reach);
  return {data, coordinates, kinematics, loops, inverse: new LoopInverse(kinematics, loops, coordinates, data.robot.reach)};
}

let seed = 7; // the same numbers every time
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const anywhere = (coordinates) => coordinates.map((c) => c.speed < 0 ? c.value : c.from + (c.to - c.from) * random());
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a}, not ${b}`);

const robots = ['puma560', 'stanford', 'scara', 'planar-3r', 'intelledex605', 't3r3', 'mixed.yaml'];
const posture = (robot) => robot === 'mixed.yaml' ? [0.1, 0.2, 0.3, 0.1, 0.5, 0.5, -0.5, 0.5] : undefined;

function posesAndJacobiansAreThoseOfTheCore() {
  let worst = 0;
  for (const robot of robots) {
    const {data, coordinates, kinematics} = load(robot, posture(robot));
    assert.ok(kinematics, robot);
    for (let trial = 0; trial < 3; ++trial) {
      const q = anywhere(coordinates), at = ['--json', '--q', q.join(',')];
      const frames = JSON.parse(ulna('fk', robot, ...at)).frames;
      kinematics.update(q);
      const same = (name, index) => {
        frames[name].position.forEach((x, k) => {
          near(kinematics.position(index)[k], x, 1e-9, `${robot} ${name}`);
          worst = Math.max(worst, Math.abs(kinematics.position(index)[k] - x));
        });
        frames[name].rotation.flat().forEach((x, k) => near(kinematics.rotation(index)[k], x, 1e-9, `${robot} ${name} rotation`));
      };
      data.robot.bodies.forEach((name, body) => frames[name] && same(name, body));
      for (const {name, index} of data.kinematics.frames) {
        same(name, index);
        if (trial > 0) continue;
        const J = JSON.parse(ulna('jacobian', robot, ...at, '--frame', name)).jacobian.flat();
        kinematics.jacobian(index, q).forEach((x, k) => near(x, J[k], 1e-9, `${robot} Jacobian of ${name}`));
      }
    }
  }
  console.log(`largest difference in position: ${worst.toExponential(1)} m`);
}

function inverseKinematicsReturnsToAPose() {
  for (const robot of robots) {
    const {coordinates, kinematics, inverse, data} = load(robot, posture(robot));
    const {index} = data.kinematics.frames[0];
    let reached = 0, rounds = 0;
    for (let trial = 0; trial < 40; ++trial) {
      const q = anywhere(coordinates);
      kinematics.update(q);
      const goal = {position: kinematics.position(index).slice(), rotation: kinematics.rotation(index).slice()};
      // As when dragging: the goal is some way from where the robot is.
      const start = q.map((x, k) => coordinates[k].speed < 0 ? x : Math.min(Math.max(x + 0.4 * (random() - 0.5) * (coordinates[k].unit === 'm' ? 0.3 : 1), coordinates[k].from), coordinates[k].to));
      const found = inverse.solve(index, goal, start);
      reached += found.distance < 1e-9 && found.angle < 1e-9;
      rounds += found.rounds;
      kinematics.update(found.q);
      near(Math.hypot(...goal.position.map((x, k) => x - kinematics.position(index)[k])), found.distance, 1e-12, `${robot}: the distance told`);
      found.q.forEach((x, k) => {
        const {lower, upper, speed} = coordinates[k];
        if (speed < 0) assert.equal(x, start[k]);
        assert.ok(x >= (lower ?? -Infinity) - 1e-12 && x <= (upper ?? Infinity) + 1e-12, `${robot}: limit of ${coordinates[k].name} passed`);
      });
      const position = inverse.solve(index, {position: goal.position}, start);
      assert.ok(position.distance < 1e-6, `${robot}: position missed by ${position.distance}`);
    }
    console.log(`${robot}: ${reached} of 40 poses reached, ${(rounds / 40).toFixed(1)} rounds each`);
    assert.ok(reached >= 36, `${robot}: ${reached} of 40 poses reached`);
  }
}

function whatIsOutOfReachIsApproached() {
  // Three links of the planar arm: the nearest point to a goal far out is on the circle of its length.
  const {kinematics, inverse, coordinates, data} = load('planar-3r');
  const {index} = data.kinematics.frames[0];
  const straight = coordinates.map(() => 0);
  kinematics.update(straight);
  const length = Math.hypot(...kinematics.position(index));
  const far = inverse.solve(index, {position: [0, 3 * length, 0]}, [0.3, 0.4, 0.5], 400);
  near(far.distance, 2 * length, 1e-4 * length, 'distance of a goal out of reach');
  // Straight, nothing of first order leads inwards: it must find its way all the same.
  const p = Array.from(kinematics.position(index), (x) => 0);
  kinematics.update(straight);
  kinematics.position(index).forEach((x, k) => { p[k] = 0.5 * x; });
  assert.ok(inverse.solve(index, {position: p}, straight).distance < 1e-9, 'a stretched arm does not bend');
}

function theTurnBetweenRotationsIsItsLogarithm() {
  const about = ([x, y, z], a) => { // Rodrigues
    const c = Math.cos(a), s = Math.sin(a), d = 1 - c;
    return [c + d * x * x, d * x * y - s * z, d * x * z + s * y, d * x * y + s * z, c + d * y * y, d * y * z - s * x, d * x * z - s * y, d * y * z + s * x, c + d * z * z];
  };
  for (const axis of [[1, 0, 0], [0, 0.6, 0.8], [2 / 3, -1 / 3, 2 / 3]])
    for (const angle of [0, 1e-8, 0.3, 2, Math.PI - 1e-6])
      turnBetween(about(axis, 0.2), about(axis, 0.2 + angle)).forEach((x, k) => near(x, axis[k] * angle, 1e-9, `turn by ${angle}`));
}

const withLoops = ['four-bar', 'slider-crank', 'five-bar', 'crank-rocker', 'bennett', 'rccc', 'rrcrc', 'palletiser', 'screw-jack', 'planar-3rrr',
                   'stewart-6-6', 'stewart-6-3', 'ddts', 'delta', 'rotary-hexapod'];

// Each slider by a tenth of its range to both sides, in the page; then the core says whether the loops are closed.
function loopsStayClosedUnderTheSliders() {
  for (const robot of withLoops) {
    const {data, coordinates, kinematics, loops} = load(robot);
    assert.ok(loops, robot);
    const start = coordinates.map((c) => c.value);
    assert.ok(loops.open(start) < 1e-9, `${robot}: open at the start by ${loops.open(start)}`);
    let moved = 0, tried = 0, slowest = 0;
    coordinates.forEach((c, k) => {
      if (c.speed < 0) return;
      for (const share of [0.1, -0.1]) {
        const unit = c.unit === 'm' ? data.robot.reach : 1, value = start[k] + share * Math.min(c.to - c.from, 2 * unit);
        const began = performance.now(), q = loops.follow(start, k, c.speed, value, unit);
        slowest = Math.max(slowest, performance.now() - began);
        assert.ok(loops.open(q) < 1e-8, `${robot}: ${c.name} opens the loops by ${loops.open(q)}`);
        ++tried;
        moved += Math.abs(q[k] - value) < 1e-9 * unit;
        if (Math.abs(q[k] - value) < 1e-9 * unit && data.kinematics.loops.kept.includes(c.speed))
          coordinates.forEach((other, j) => { // the other drives have stayed
            if (j !== k && data.kinematics.loops.kept.includes(other.speed)) near(q[j], start[j], 1e-9, `${robot}: ${other.name}`);
          });
        // The core is asked for some of them; beyond limits it would go back within.
        const over = coordinates.some((x, j) => q[j] > (x.upper ?? Infinity) || q[j] < (x.lower ?? -Infinity));
        if (over || (tried > 2 && robot !== 'ddts')) continue;
        const frames = JSON.parse(ulna('fk', robot, '--json', '--q', q.join(','))).frames;
        kinematics.update(q);
        data.robot.bodies.forEach((name, body) => frames[name]?.position.forEach((x, i) => near(kinematics.position(body)[i], x, 1e-7, `${robot} ${name}`)));
      }
    });
    console.log(`${robot}: ${moved} of ${tried} moves reached, the slowest in ${slowest.toFixed(0)} ms`);
    assert.ok(moved > 0.4 * tried, `${robot}: ${moved} of ${tried} moves reached`);
  }
}

function aTargetIsFollowedThroughLoops() {
  for (const robot of ['five-bar', 'delta', 'stewart-6-6', 'ddts', 'palletiser']) {
    const {data, coordinates, kinematics, loops, inverse} = load(robot);
    const start = coordinates.map((c) => c.value), platform = data.robot.bodies.indexOf('platform');
    const index = platform > 0 ? platform : data.kinematics.frames[0].index;
    const drives = coordinates.map((c, k) => k).filter((k) => data.kinematics.loops.kept.includes(coordinates[k].speed));
    const k = drives[0], unit = coordinates[k].unit === 'm' ? data.robot.reach : 1;
    const there = loops.follow(start, k, coordinates[k].speed, start[k] + 0.05 * unit, unit); // somewhere it can be
    kinematics.update(there);
    const goal = {position: kinematics.position(index).slice()};
    const found = inverse.solve(index, goal, start);
    assert.ok(found.distance < 1e-7, `${robot}: the target was missed by ${found.distance}`);
    assert.ok(loops.open(found.q) < 1e-8, `${robot}: open by ${loops.open(found.q)}`);
  }
}

try {
  for (const test of [posesAndJacobiansAreThoseOfTheCore, inverseKinematicsReturnsToAPose, whatIsOutOfReachIsApproached, theTurnBetweenRotationsIsItsLogarithm, loopsStayClosedUnderTheSliders, aTargetIsFollowedThroughLoops]) {
    test();
    console.log(`ok  ${test.name}`);
  }
} finally {
  rmSync(folder, {recursive: true, force: true});
}
