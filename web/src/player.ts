// The time of the page: who may set it, who is told, and how it runs.

export type Listener = (t: number) => void;

export class Player {
  t: number;
  playing = false;
  loop = true;
  speed = 1;
  private listeners: Listener[] = [];
  private stateListeners: (() => void)[] = [];
  private last = 0;

  constructor(readonly time: Float64Array) {
    this.t = time[0];
  }
  get start(): number {
    return this.time[0];
  }
  get end(): number {
    return this.time[this.time.length - 1];
  }
  onTime(listener: Listener): void {
    this.listeners.push(listener);
  }
  onState(listener: () => void): void {
    this.stateListeners.push(listener);
  }

  seek(t: number): void {
    this.t = Math.min(Math.max(t, this.start), this.end);
    for (const tell of this.listeners) tell(this.t);
  }

  /** To a record so many before or after this time. */
  step(records: number): void {
    this.pause();
    let k = 0;
    while (k < this.time.length - 1 && this.time[k + 1] <= this.t + 1e-12) ++k;
    const between = this.t > this.time[k] + 1e-12 && records < 0 ? 1 : 0;
    const target = Math.min(Math.max(k + records + between, 0), this.time.length - 1);
    this.seek(this.time[target]);
  }

  play(): void {
    if (this.playing || this.end <= this.start) return;
    if (this.t >= this.end) this.seek(this.start);
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame(this.advance);
    this.tellState();
  }
  pause(): void {
    this.playing = false;
    this.tellState();
  }
  toggle(): void {
    if (this.playing) this.pause(); else this.play();
  }
  setLoop(loop: boolean): void {
    this.loop = loop;
    this.tellState();
  }
  setSpeed(speed: number): void {
    this.speed = speed;
    this.tellState();
  }

  private tellState(): void {
    for (const tell of this.stateListeners) tell();
  }
  private advance = (now: number): void => {
    if (!this.playing) return;
    // A page in the background gets no frames: it goes on where it was.
    const passed = Math.min(Math.max(now - this.last, 0), 100) / 1000;
    this.last = now;
    let t = this.t + passed * this.speed;
    if (t >= this.end) {
      if (this.loop) {
        t = this.start + (t - this.start) % (this.end - this.start);
      } else {
        this.seek(this.end);
        this.pause();
        return;
      }
    }
    this.seek(t);
    requestAnimationFrame(this.advance);
  };
}
