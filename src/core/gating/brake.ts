/** More than this part of a grant's holders, and more than this many members. */
const SHARE = 0.1;
const FEW = 5;
/** So many are too many, whatever the part. */
const MANY = 100;

/**
 * Whether a run would take too much at once to do it unasked.
 * @param holders how many have the grant before the run
 */
export function isTooMany(taken: number, holders: number): boolean {
  return taken >= MANY || (taken > FEW && taken > holders * SHARE);
}
