// node decimate.mjs: the points that plots draw of long runs.
import assert from 'node:assert/strict';
import {build} from 'esbuild';

const {outputFiles} = await build({entryPoints: ['src/decimate.ts'], format: 'esm', write: false, logLevel: 'warning'});
const {cover, decimated} = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

const time = Float64Array.from({length: 10001}, (_, k) => k / 100);
const noise = Float32Array.from(time, (t) => Math.sin(t) + 0.3 * Math.sin(97.3 * t));
noise[5013] = 9; // a peak of one record
const withGaps = Array.from(noise, (x, k) => k > 8000 ? null : x);

const [t, x, y] = decimated(time, [noise, withGaps], 0, 100, 300);
assert.equal(t.length, 600);
assert.equal(Math.max(...x), 9);
assert.equal(Math.min(...x), Math.min(...noise));
assert.ok(t.every((at, k) => k === 0 || at >= t[k - 1]), 'times go back');
assert.equal(t[0], 0);
assert.equal(t.at(-1), 100);
assert.ok(y.filter((v) => v === null).length > 100, 'gaps are filled');
// Every value lies in the interval that it stands for.
for (let k = 0; k < 300; ++k) {
  const inside = Array.from(noise).filter((_, i) => time[i] >= t[2 * k] && time[i] <= t[2 * k + 1]);
  assert.equal(Math.max(x[2 * k], x[2 * k + 1]), Math.max(...inside));
  assert.equal(Math.min(x[2 * k], x[2 * k + 1]), Math.min(...inside));
}
// Few records are all drawn, with one to either side so that lines leave the frame.
const [near] = decimated(time, [noise], 50.005, 50.995, 300);
assert.deepEqual([near[0], near.at(-1)], [50, 51]);
assert.equal(decimated(time, [noise], -5, 500, 20000)[1].length, 10001);
// Two records at the time of an event both count.
assert.deepEqual(cover(Float64Array.of(0, 1, 1, 2), 0, 1), [0, 4]);
assert.deepEqual(cover(Float64Array.of(3), 0, 9), [0, 1]);
console.log('ok  no peak is lost');
