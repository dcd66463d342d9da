import type { Comparison } from './model.ts';

const ORDERED: ReadonlySet<Comparison> = new Set(['gt', 'gte', 'lt', 'lte']);

/** Whether it compares integers by size. */
export function isOrdered(comparison: Comparison): boolean {
  return ORDERED.has(comparison);
}
