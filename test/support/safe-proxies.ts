/*
 * Code that begins as Safe's proxies do: which instructions read the contract behind is a fact of each version; the
 * rest is our own, as theirs is under the LGPL. See contracts/proxies in
 * https://github.com/safe-global/safe-smart-account, tags v1.3.0 to v1.5.0.
 */

const MASK = 'f'.repeat(40);
/** MSTORE(64, 128), with which code of solc begins. */
const HEAD = '6080604052';
/** Copies the call, hands it on to the address on top of the stack, and gives back what that answers. */
const HANDS_ON = '366000803760008036600084' + '5af43d6000803e3d6000f3';

/** By the versions that begin so; all keep the contract behind in their first slot. */
export const SAFE_PROXIES = {
  /** `and(sload(0), mask)` as solc writes it. */
  'Safe 1.0.0 to 1.4.1': `0x${HEAD}73${MASK}60005416${HANDS_ON}`,
  /** The same from solc's optimizer, as on chains whose tools deployed builds of their own: Optimism's, for example. */
  'Safe 1.0.0 to 1.4.1, optimized': `0x${HEAD}600073${MASK}815416${HANDS_ON}`,
  /** `sload(0)`, then whether `masterCopy()` is called, which is left out here. */
  'Safe 1.5.0': `0x${HEAD}60005463a619486e50${HANDS_ON}`,
} as const;
