/** The rules of each chain: its addresses and how they are written. */

import type { ChainRules } from '#wallet/wallet';
import { algorand } from './algorand.ts';
import { ethereum } from './ethereum.ts';
import { solana } from './solana.ts';

/** All chains that Fathom supports. To add one, add a file to this folder and a line here. */
export const chains: readonly ChainRules[] = [ethereum, solana, algorand];
export { addressOfKey, algorand } from './algorand.ts';
export { ethereum } from './ethereum.ts';
export { solana } from './solana.ts';
