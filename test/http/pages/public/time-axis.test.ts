import { scaleUtc } from 'd3-scale';
import { expect, it } from 'vitest';
import { timeLabels, timeOf } from '#http/pages/public/plots/axes';

/** Of a plot on a phone 360 pixels wide without its labels, and of their characters, in pixels. */
const PLOT_WIDTH = 243;
/** Of the labels of the other axis, above which the first of these labels may reach. */
const MARGIN = 45;
const CHARACTER = 6.3;
/** 22 November 2026, in days since 1970. */
const UNTIL = 20_779;

it.each(['en', 'es'])('Labels of days and months never touch on a phone: %s', (language) => {
  for (let days = 30; days < 4_000; days += 7) {
    const x = scaleUtc([UNTIL - days, UNTIL].map(timeOf), [0, 100]);
    const labels = timeLabels(x, days, language).map((label) => {
      const [, at, text = ''] = /x="([\d.]+)%".*>(.+)<\/text>/.exec(label.text) ?? [];
      const half = (text.length * CHARACTER) / 2;
      const center = (Number(at) * PLOT_WIDTH) / 100;
      return { from: center - half, to: center + half };
    });
    expect(labels.length, `${days} days`).toBeGreaterThan(0);
    for (const [i, { from }] of labels.entries()) {
      expect(from - (labels[i - 1]?.to ?? -MARGIN), `${days} days`).toBeGreaterThan(0);
    }
    expect(labels.at(-1)?.to, `${days} days`).toBeLessThanOrEqual(PLOT_WIDTH + 1);
  }
});
