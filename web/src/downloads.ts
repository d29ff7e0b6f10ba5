// What the page gives away: the data of the run as CSV, the robot as PNG, plots as PNG and SVG.
import type {Channel, Report} from './data';
import {element} from './dom';
import {shortName} from './format';

function save(name: string, content: Blob): void {
  const link = element('a', {href: URL.createObjectURL(content), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A file name from a title. */
export function fileName(title: string, ending: string): string {
  const words = title.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '').slice(0, 60);
  return `${words || 'run'}.${ending}`;
}

function cell(title: string): string {
  return /[",]/.test(title) ? `"${title.replace(/"/g, '""')}"` : title;
}

export function csvOf(report: Report): string {
  const {time, channels} = report;
  const lines = [['t[s]', ...channels.map((c) => cell(c.unit ? `${c.name}[${c.unit}]` : c.name))].join(',')];
  for (let k = 0; k < time.length; ++k)
    lines.push([time[k], ...channels.map((c) => Number(c.values[k].toPrecision(8)))].join(','));
  return lines.join('\n') + '\n';
}

export function saveData(report: Report): void {
  save(fileName(report.title, 'csv'), new Blob([csvOf(report)], {type: 'text/csv'}));
}

export function saveCanvas(canvas: HTMLCanvasElement, title: string): void {
  canvas.toBlob((blob) => { if (blob) save(fileName(title, 'png'), blob); }, 'image/png');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

export interface SvgPlot {
  title: string;
  x: {min: number; max: number; ticks: number[]; labels: string[]};
  y: {min: number; max: number; ticks: number[]; labels: string[]};
  lines: {label: string; colour: string; dash: string; points: [number, number][]}[];
  keys: {label: string; dash: string}[]; // what dashes stand for
}

/** A plot as it is shown, 640 wide; its legend runs in as many rows as it needs. */
export function svgOf(plot: SvgPlot): string {
  const left = 64, right = 628, rowHeight = 17, plotHeight = 238, {x, y} = plot;
  const entries = [...plot.lines.filter((line) => line.label), ...plot.keys.map((key) => ({...key, colour: '#666666'}))]
    .map((entry) => ({...entry, label: shortName(entry.label, 40)}));
  let row = 0, key = left;
  const keys = entries.map((entry) => {
    const width = 38 + 7 * [...entry.label].length;
    if (key > left && key + width > right) {
      ++row;
      key = left;
    }
    const place = {...entry, x: key, y: 38 + row * rowHeight};
    key += width;
    return place;
  });
  const top = 48 + row * rowHeight, bottom = top + plotHeight, height = bottom + 38;
  const px = (v: number) => left + (v - x.min) / (x.max - x.min || 1) * (right - left);
  const py = (v: number) => bottom - (v - y.min) / (y.max - y.min || 1) * (bottom - top);
  const at = (v: number) => v.toFixed(2);
  const dashed = (dash: string) => dash ? ` stroke-dasharray="${dash}"` : '';
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 ${height}" width="640" height="${height}" font-family="sans-serif" font-size="12">`,
               `<rect width="640" height="${height}" fill="#fff"/>`, `<text x="${left}" y="18" font-weight="600">${escaped(plot.title)}</text>`];
  x.ticks.forEach((t, k) => out.push(`<path d="M${at(px(t))} ${top}V${bottom}" stroke="#e4e4e4"/><text x="${at(Math.min(px(t), right))}" y="${bottom + 16}" text-anchor="middle">${escaped(x.labels[k])}</text>`));
  y.ticks.forEach((t, k) => out.push(`<path d="M${left} ${at(py(t))}H${right}" stroke="#e4e4e4"/><text x="${left - 6}" y="${at(py(t) + 4)}" text-anchor="end">${escaped(y.labels[k])}</text>`));
  out.push(`<text x="${right}" y="${bottom + 31}" text-anchor="end">t [s]</text>`);
  out.push(`<clipPath id="inside"><rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}"/></clipPath><g clip-path="url(#inside)" fill="none" stroke-width="1.6">`);
  for (const line of plot.lines) {
    const d = line.points.map(([a, b], k) => `${k ? 'L' : 'M'}${at(px(a))} ${at(py(b))}`).join('');
    out.push(`<path d="${d}" stroke="${line.colour}"${dashed(line.dash)}><title>${escaped(line.label)}</title></path>`);
  }
  out.push('</g>');
  for (const entry of keys)
    out.push(`<path d="M${entry.x} ${entry.y - 4}h18" stroke="${entry.colour}" stroke-width="2"${dashed(entry.dash)}/><text x="${entry.x + 22}" y="${entry.y}">${escaped(entry.label)}</text>`);
  out.push(`<path d="M${left} ${top}V${bottom}H${right}" fill="none" stroke="#777"/></svg>`);
  return out.join('\n');
}

export function saveSvg(plot: SvgPlot): void {
  save(fileName(plot.title, 'svg'), new Blob([svgOf(plot)], {type: 'image/svg+xml'}));
}

function size(channel: Channel): number {
  return Math.max(Math.abs(channel.least), Math.abs(channel.greatest));
}

/** Channels with nothing but zeros and rounding noise beside others of their group: efforts of passive joints. */
export function isSilent(channel: Channel, group: Channel[]): boolean {
  const largest = Math.max(...group.map(size));
  return largest > 0 && size(channel) <= 1e-9 * largest;
}
