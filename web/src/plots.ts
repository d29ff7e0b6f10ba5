// The plots: a panel for each group of channels with the same unit. All share the time of the player and
// the range of the abscissa.
import uPlot from 'uplot';
import {valueAt, type Channel, type Report, type Run} from './data';
import {decimated, type Column} from './decimate';
import {element} from './dom';
import {isSilent, saveCanvas, saveSvg, type SvgPlot} from './downloads';
import {heading, number, shortName, unitText} from './format';
import type {Player} from './player';

// Okabe and Ito's colours, black replaced by grey for dark pages.
const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#7f7f7f', '#b8a800'];
const dashes = [[], [8, 4], [2, 4], [10, 4, 2, 4]];
const otherDashes = [[4, 3], [2, 3], [9, 3, 2, 3], [12, 4]]; // of the runs compared with
const openAtFirst = ['q', 'tau', 'energy'];

const commandedDash = [1, 4];

interface Group {
  name: string;
  unit: string;
  channels: Channel[]; // commanded values last
  commanded: number[]; // for each channel: which one it is the commanded value of, or -1
}

/** Commanded values stand beside the coordinates, where these are there. */
export function groupsOf(channels: Channel[]): Group[] {
  const groups = new Map<string, Group>();
  const keyOf = (group: string, unit: string) => JSON.stringify([group, unit]);
  const names = new Set(channels.map((c) => c.name));
  const later: Channel[] = [];
  for (const channel of channels) {
    if (channel.group === 'reference' && names.has(`q.${channel.label}`)) {
      later.push(channel);
      continue;
    }
    const key = keyOf(channel.group, channel.unit);
    let group = groups.get(key);
    if (!group) groups.set(key, group = {name: channel.group, unit: channel.unit, channels: [], commanded: []});
    group.channels.push(channel);
    group.commanded.push(-1);
  }
  for (const channel of later) {
    const group = groups.get(keyOf('q', channel.unit)), of = group?.channels.findIndex((c) => c.name === `q.${channel.label}`) ?? -1;
    if (!group || of < 0) continue;
    group.channels.push(channel);
    group.commanded.push(of);
  }
  return [...groups.values()];
}

/** The style of a line: its channel's, or that of what it is the commanded value of. */
function styleOf(group: Group, k: number): {colour: string; dash: number[]} {
  const of = group.commanded[k];
  const own = of < 0 ? k : of;
  return {colour: palette[own % palette.length], dash: of < 0 ? dashes[Math.floor(own / palette.length) % dashes.length] : commandedDash};
}

/** Whether anything changes in the time of the run, beyond rounding. */
function varies(group: Group): boolean {
  return group.channels.some((c) => c.greatest - c.least > 1e-9 * Math.max(Math.abs(c.greatest), Math.abs(c.least)));
}

class Panel {
  readonly node: HTMLDetailsElement;
  plot?: uPlot;
  private host = element('div', {class: 'plot'});
  private near = false;
  private marker = element('div', {class: 'now'});
  private values: HTMLElement[] = [];
  private hidden: boolean[];
  private drawn = ''; // range and width that the points are for

  constructor(private group: Group, private report: Report, private player: Player, private set: PlotSet,
              open: boolean) {
    this.hidden = group.channels.map(() => false);
    const unit = unitText(group.unit);
    this.node = element('details', {class: 'panel', open},
        element('summary', {}, heading(group.name), element('span', {class: 'unit'}, unit && ` [${unit}]`), this.saving()),
        this.legend(), this.host);
    this.node.addEventListener('toggle', () => this.node.open && this.create());
  }

  approach(): void {
    this.near = true;
    this.create();
  }

  /** The plot as a file. */
  private saving(): HTMLElement {
    const title = `${this.report.title} ${heading(this.group.name)}`;
    const make = (name: string, act: () => void) => {
      const node = element('button', {type: 'button', title: `Save this plot as ${name}`}, name);
      node.addEventListener('click', (event) => {
        event.preventDefault(); // the panel stays open
        this.approach();
        if (this.plot) act();
      });
      return node;
    };
    return element('span', {class: 'saving'}, make('SVG', () => saveSvg(this.picture(title))),
                   make('PNG', () => saveCanvas(this.plot!.ctx.canvas, title)));
  }

  picture(title: string): SvgPlot {
    const u = this.plot!, [times, ...rows] = u.data as unknown as [ArrayLike<number>, ...ArrayLike<number | null>[]];
    const ticks = (key: 'x' | 'y', axis: number) => {
      const {min, max} = u.scales[key], shown = u.axes[axis] as unknown as {_splits?: number[]; _values?: (string | null)[]};
      return {min: min!, max: max!, ticks: shown._splits ?? [], labels: (shown._values ?? []).map((v) => v ?? '')};
    };
    const count = this.group.channels.length;
    const lines = rows.map((row, k) => ({
      label: k < count && this.group.commanded[k] < 0 ? this.group.channels[k].label : '', colour: styleOf(this.group, k % count).colour,
      dash: k < count ? styleOf(this.group, k).dash.join(' ') : otherDashes[(Math.floor(k / count) - 1) % otherDashes.length].join(' '),
      points: Array.from(times, (t, i) => [t, row[i]]).filter((p): p is [number, number] => typeof p[1] === 'number'),
    })).filter((_line, k) => !this.hidden[k % count]);
    const unit = unitText(this.group.unit);
    return {title: unit ? `${title} [${unit}]` : title, x: ticks('x', 0), y: ticks('y', 1), lines, keys: this.styles()};
  }

  /** What dashes and dots stand for. */
  private styles(): {label: string; dash: string}[] {
    const out = this.group.commanded.some((of) => of >= 0) ? [{label: 'commanded', dash: commandedDash.join(' ')}] : [];
    const names = new Set(this.group.channels.map((c) => c.name));
    this.report.others.forEach((other, run) => {
      if (other.channels.some((c) => names.has(c.name)))
        out.push({label: other.title, dash: otherDashes[run % otherDashes.length].join(' ')});
    });
    return out;
  }

  private legend(): HTMLElement {
    const list = element('div', {class: 'legend'});
    this.group.channels.forEach((channel, k) => {
      const value = element('output', {});
      this.values.push(value);
      if (this.group.commanded[k] >= 0) return; // shown and hidden with what it is the commanded value of
      const swatch = element('i', {class: k >= palette.length ? 'dashed' : ''});
      swatch.style.setProperty('--colour', styleOf(this.group, k).colour);
      const key = element('button', {type: 'button', 'aria-pressed': 'true', title: channel.name},
                          swatch, element('span', {class: 'name'}, shortName(channel.label)), value);
      if (channel.records_over) key.classList.add('over');
      key.addEventListener('click', () => {
        const count = this.group.channels.length, off = !this.hidden[k];
        key.setAttribute('aria-pressed', String(!off));
        this.group.channels.forEach((_channel, own) => {
          if (own !== k && this.group.commanded[own] !== k) return;
          this.hidden[own] = off;
          for (let run = 0; run <= this.report.others.length; ++run) this.plot?.setSeries(own + 1 + run * count, {show: !off});
        });
      });
      list.append(key);
    });
    for (const {label, dash} of this.styles()) {
      const swatch = element('i', {class: /^[12] /.test(dash) ? 'dotted' : 'dashed'});
      swatch.style.setProperty('--colour', 'var(--muted)');
      list.append(element('span', {class: 'run'}, swatch, element('span', {class: 'name', title: label}, shortName(label))));
    }
    return list;
  }

  private create(): void {
    if (this.plot || !this.near || this.host.clientWidth === 0) return;
    const style = getComputedStyle(document.documentElement);
    const ink = () => style.getPropertyValue('--muted').trim(), line = () => style.getPropertyValue('--line').trim();
    const axis: uPlot.Axis = {
      stroke: ink, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1, size: 5},
      font: '12px system-ui, sans-serif',
    };
    const series: uPlot.Series[] = this.group.channels.map((channel, k) => ({
      label: channel.name, stroke: styleOf(this.group, k).colour, width: 1.7, pxAlign: 0, points: {show: false},
      dash: styleOf(this.group, k).dash, show: !this.hidden[k],
    }));
    const data: Column[] = this.group.channels.map((c) => c.values);
    for (const [run, other] of this.report.others.entries())
      for (const [k, channel] of this.group.channels.entries()) {
        data.push(this.set.otherValues(other, channel.name));
        series.push({stroke: styleOf(this.group, k).colour, width: 1.2, dash: otherDashes[run % otherDashes.length], points: {show: false}});
      }
    const {time} = this.report, whole = {min: time[0], max: time[time.length - 1]}, range = this.set.range ?? whole;
    const points = (low: number, high: number) => {
      this.drawn = `${low} ${high} ${this.host.clientWidth}`;
      return decimated(time, data, low, high, this.columns()) as unknown as uPlot.AlignedData;
    };
    this.plot = new uPlot({
      width: this.host.clientWidth, height: this.set.height(),
      padding: [8, 10, 0, 0],
      legend: {show: false},
      cursor: {sync: {key: 'time', setSeries: false}, points: {size: 6}, drag: {x: true, y: false}, y: false,
               bind: {dblclick: (u) => () => {
                 if (whole.min < whole.max) u.setScale('x', whole);
                 return null;
               }}},
      // Asked before the ordinates are fitted: the points of another range are put in here.
      scales: {x: {time: false, range: (u, low, high) => {
        if (low !== null && this.drawn !== `${low} ${high} ${this.host.clientWidth}`) u.setData(points(low, high), false);
        return [low, high];
      }}},
      axes: [{...axis, size: 26, label: 't [s]', labelSize: 16, labelGap: -2, labelFont: '12px system-ui, sans-serif'}, {...axis, size: 58, values: (_, splits) => splits.map((x) => number(x, 4).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''))}],
      series: [{}, ...series],
      hooks: {
        setCursor: [(u) => this.set.hover(u.cursor.left! >= 0 ? u.posToVal(u.cursor.left!, 'x') : undefined)],
        setScale: [(u, key) => key === 'x' && this.set.zoom(u)],
        draw: [(u) => this.limits(u)],
      },
    }, points(range.min, range.max), this.host);
    if (this.set.range) this.plot.setScale('x', this.set.range);
    this.plot.over.append(this.marker);
    let downAt = -1;
    this.plot.over.addEventListener('mousedown', (e) => { downAt = e.clientX; });
    this.plot.over.addEventListener('click', (e) => {
      if (Math.abs(e.clientX - downAt) > 4) return;
      this.player.seek(this.plot!.posToVal(e.clientX - this.plot!.over.getBoundingClientRect().left, 'x'));
    });
    this.show(this.player.t);
    this.mark(this.player.t);
  }

  private columns(): number {
    return Math.max(100, Math.round(this.host.clientWidth * Math.min(window.devicePixelRatio, 2)));
  }

  /** Limits of the channels shown, where they are within sight. */
  private limits(u: uPlot): void {
    const {ctx} = u, {left, width} = u.bbox, {min, max} = u.scales.y;
    this.group.channels.forEach((channel, k) => {
      if (!channel.limits || this.hidden[k]) return;
      for (const limit of channel.limits) {
        if (limit === null || limit < min! || limit > max!) continue;
        const y = Math.round(u.valToPos(limit, 'y', true));
        ctx.save();
        ctx.strokeStyle = styleOf(this.group, k).colour;
        ctx.globalAlpha = 0.6;
        ctx.setLineDash([3, 5]);
        ctx.beginPath();
        ctx.moveTo(left, y);
        ctx.lineTo(left + width, y);
        ctx.stroke();
        ctx.restore();
      }
    });
  }

  show(t: number): void {
    if (!this.node.open || !this.near) return;
    this.group.channels.forEach((channel, k) => {
      this.values[k].textContent = number(valueAt(channel, this.report.time, t));
    });
  }
  mark(t: number): void {
    if (!this.plot || !this.node.open) return;
    const x = this.plot.valToPos(t, 'x');
    this.marker.style.transform = `translateX(${x}px)`;
    // By the plot's own numbers: asking the page would have it laid out anew for every plot.
    this.marker.hidden = !(x >= 0 && x <= this.plot.bbox.width / uPlot.pxRatio);
  }
  resize(): void {
    this.create();
    if (this.plot && this.host.clientWidth > 0 && this.host.clientWidth !== this.plot.width)
      this.plot.setSize({width: this.host.clientWidth, height: this.set.height()});
    this.mark(this.player.t);
  }
}

export class PlotSet {
  readonly node = element('section', {class: 'plots', 'aria-label': 'Plots'});
  private panels: Panel[];
  range?: {min: number; max: number}; // of the abscissa, once zoomed
  private zooming = false;
  private hovered: number | undefined;

  constructor(private report: Report, private player: Player) {
    const groups = groupsOf(report.channels.filter((c) => !isSilent(c, report.channels.filter((other) => other.group === c.group))));
    const known = groups.some((g) => openAtFirst.includes(g.name));
    this.panels = groups.map((group, k) => new Panel(
        group, report, player, this, known ? openAtFirst.includes(group.name) && (varies(group) || !groups.some((g) => openAtFirst.includes(g.name) && varies(g))) : k < 3));
    this.node.append(...this.panels.map((panel) => panel.node));
    player.onTime((t) => {
      for (const panel of this.panels) {
        panel.mark(t);
        if (this.hovered === undefined) panel.show(t);
      }
    });
  }

  /** Plots are made when they come into sight, or near to it. */
  start(): void {
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) this.panels.find((panel) => panel.node === entry.target)?.approach();
    }, {rootMargin: '150px'});
    for (const panel of this.panels) seen.observe(panel.node);
    addEventListener('beforeprint', () => this.panels.forEach((panel) => panel.approach()));
    new ResizeObserver(() => this.panels.forEach((panel) => panel.resize())).observe(this.node);
  }
  height(): number {
    return this.node.clientWidth < 420 ? 166 : 186;
  }

  /** Another run's values at the times of the first. */
  otherValues(other: Run, name: string): (number | null)[] {
    const channel = other.channels.find((c) => c.name === name);
    const end = other.time[other.time.length - 1];
    return Array.from(this.report.time, (t) => channel && t <= end ? valueAt(channel, other.time, t) : null);
  }

  hover(t: number | undefined): void {
    this.hovered = t;
    for (const panel of this.panels) panel.show(t ?? this.player.t);
  }
  zoom(source: uPlot): void {
    if (this.zooming) return;
    this.zooming = true;
    const {min, max} = source.scales.x;
    if (typeof min === 'number' && typeof max === 'number') {
      this.range = {min, max};
      for (const {plot} of this.panels)
        if (plot && plot !== source && (plot.scales.x.min !== min || plot.scales.x.max !== max)) plot.setScale('x', {min, max});
    }
    for (const panel of this.panels) panel.mark(this.player.t);
    this.zooming = false;
  }
  redraw(): void {
    for (const panel of this.panels) panel.plot?.redraw();
  }
}
