import type { Comparison } from './model.ts';

const ORDERED: ReadonlySet<Comparison> = new Set(['gt', 'gte', 'lt', 'lte']);

/** Whether it asks which of two integers is greater. */
export function isOrdered(comparison: Comparison): boolean {
  return ORDERED.has(comparison);
}
