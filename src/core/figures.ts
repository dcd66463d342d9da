import type { Texts } from '#core/texts/index';

/**
 * A rank's percentile: whole percents, rounded up, and tenths below one.
 * @returns 0.1 to 100
 */
export function topPercent(rank: number, total: number): number {
  // Multiply first: 7 / 100 * 100 is more than 7.
  const whole = Math.ceil((rank * 100) / Math.max(total, 1));
  if (whole > 1 || rank * 100 === total) return Math.min(whole, 100);
  return Math.ceil((rank * 1000) / Math.max(total, 1)) / 10;
}

/** `3 of 60 · top 5 %`; no percentage for the first rank. */
export function rankText(rank: number, total: number, texts: Texts): string {
  const { number } = texts;
  if (rank === 1) return texts.rep.firstOf(number(total));
  return texts.rep.rankOf(number(rank), number(total), number(topPercent(rank, total)));
}

/** A share of a whole in percent, to a tenth: `1.2 %`. */
export function shareOf(count: number, total: number, texts: Texts): string {
  const percent = total === 0 ? 0 : (count * 100) / total;
  const tenths = Math.round(percent * 10) / 10;
  // Few must not read as none, nor nearly all as all.
  const shown =
    percent > 0 && tenths === 0
      ? `< ${texts.number(0.1)}`
      : percent < 100 && tenths === 100
        ? `> ${texts.number(99.9)}`
        : texts.number(tenths);
  return texts.percent(shown);
}
