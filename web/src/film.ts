// The page while its pictures are taken (src/report/film.cpp): the robot and the time, nothing to press.
import type {Report} from './data';
import {element} from './dom';
import {seconds} from './format';
import {View3d} from './view3d';

export function startFilm(report: Report, app: HTMLElement): void {
  const stage = element('div', {class: 'stage'}), readout = element('output', {class: 'film-time'});
  app.classList.add('film');
  app.append(stage);
  const view = new View3d(report, stage);
  stage.append(readout);
  for (const layer of ['frames', 'axes', 'centre', 'reactions'] as const) view.setLayer(layer, false);
  view.setTrace(view.points.find((point) => point.name === report.robot.tip));

  /** Is kept when the picture of this time has been drawn. */
  const show = (t: number): Promise<void> => new Promise((done) => {
    const before = view.draws;
    view.show(t);
    readout.textContent = `${seconds(t)} s`;
    const look = () => { if (view.draws > before) done(); else requestAnimationFrame(look); };
    look();
  });
  (window as unknown as {ulnaFilm: unknown}).ulnaFilm = {show, view};
}
