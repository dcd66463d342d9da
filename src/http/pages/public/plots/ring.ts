import { arc, type PieArcDatum, pie } from 'd3-shape';
import { type Html, html } from '#base';

/** A part of the ring. */
export interface RingPart {
  /** For the stylesheet. */
  readonly kind: string;
  readonly count: number;
}

const SIZE = 160;

/** A ring chart of shares. @param label describes it */
export function ringPlot(parts: readonly RingPart[], label: string): Html {
  const shape = arc<PieArcDatum<RingPart>>()
    .innerRadius(SIZE / 2 - 26)
    .outerRadius(SIZE / 2)
    .cornerRadius(3)
    .padAngle(0.02)
    .digits(1);
  const slices = pie<RingPart>()
    .value(({ count }) => count)
    .sort(null)([...parts]);
  // Rounded corners may reach slightly beyond.
  const half = SIZE / 2 + 1;
  return html`<svg class="ring" role="img" aria-label="${label}" viewBox="${-half} ${-half} ${2 * half} ${2 * half}">${slices
    .filter(({ data }) => data.count > 0)
    .map((slice) => html`<path class="${slice.data.kind}" d="${shape(slice) ?? ''}"/>`)}</svg>`;
}
