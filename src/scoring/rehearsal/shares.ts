/** Fewer than this are never too many. */
const FEW = 5;
/** One in this many is too many. */
const SHARE = 10;

/** Whether more than a tenth of the holders of something, and more than a few, would lose it. */
export function isLargeLoss(lost: number, holders: number): boolean {
  return lost > FEW && lost * SHARE > holders;
}
