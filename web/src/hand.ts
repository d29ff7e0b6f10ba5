// What moves a robot without a run: sliders, and a target where the page has the robot's kinematics.
import type {Report} from './data';
import {Kinematics, type Generated} from './kinematics';
import {Loops} from './loops';
import {JointSliders} from './sliders';
import {Target} from './target';
import type {View3d} from './view3d';

declare global {
  // Written by Ulna into a script element of its own.
  var ulnaKinematics: Generated | undefined;
}

export interface HandControls {
  nodes: HTMLElement[];
  sliders: JointSliders;
  kinematics?: Kinematics;
  loops?: Loops;
  target?: Target;
}

export function handControls(report: Report, view: View3d): HandControls {
  const generated = globalThis.ulnaKinematics;
  const kinematics = generated && report.kinematics ? new Kinematics(generated, report.kinematics) : undefined;
  const {loops: closures, tangents} = report.kinematics ?? {};
  const loops = kinematics && closures && tangents ? new Loops(kinematics, closures, tangents, report.robot.reach) : undefined;
  const sliders = new JointSliders(report, view.groups, kinematics, loops, () => {
    target?.toFrame();
    view.draw();
  });
  const movable = report.sliders!.coordinates.some((c) => c.speed >= 0);
  const target = kinematics && movable && kinematics.data.frames.length > 0 ? new Target(report, kinematics, sliders, view, loops) : undefined;
  return {nodes: target ? [target.node, sliders.node] : [sliders.node], sliders, kinematics, loops, target};
}
