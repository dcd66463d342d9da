import { coordinate as c } from '#pictures/card/svg';

export type Point = readonly [x: number, y: number];
/** A cubic Bézier curve. */
export type Curve = readonly [Point, Point, Point, Point];

/** A limb along a curve, thinner towards its tip. */
export function limb(curves: readonly Curve[], from: number, to: number): string {
  const spine = curves.flatMap((curve, i) => sampled(curve).slice(i === 0 ? 0 : 1));
  const left: string[] = [];
  const right: string[] = [];
  for (const [i, [x, y]] of spine.entries()) {
    const [ax, ay] = spine[Math.max(0, i - 1)] as Point;
    const [bx, by] = spine[Math.min(spine.length - 1, i + 1)] as Point;
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const half = (from + ((to - from) * i) / (spine.length - 1)) / 2;
    const [nx, ny] = [(-(by - ay) / length) * half, ((bx - ax) / length) * half];
    left.push(`${c(x + nx)} ${c(y + ny)}`);
    right.push(`${c(x - nx)} ${c(y - ny)}`);
  }
  const tip = c(to / 2);
  return `M${left.join('L')}A${tip} ${tip} 0 0 0 ${right.toReversed().join('L')}Z`;
}

/** Points along curves at equal steps of their parameter, with the width of a limb there. */
export function along(
  curves: readonly Curve[],
  from: number,
  to: number,
): readonly { readonly at: Point; readonly width: number }[] {
  const spine = curves.flatMap((curve) => sampled(curve));
  return spine.map((at, i) => ({ at, width: from + ((to - from) * i) / (spine.length - 1) }));
}

const STEPS = 24;

function sampled([p, q, r, s]: Curve): Point[] {
  return Array.from({ length: STEPS + 1 }, (_, i): Point => {
    const t = i / STEPS;
    const u = 1 - t;
    const at = (k: 0 | 1) =>
      u * u * u * p[k] + 3 * u * u * t * q[k] + 3 * u * t * t * r[k] + t * t * t * s[k];
    return [at(0), at(1)];
  });
}
