import type { ChainRules } from '#core/chain';
import { algorand } from './algorand.ts';
import { ethereum } from './ethereum.ts';
import { solana } from './solana.ts';

/** Every chain that Fathom knows. A new one is a file in this folder and a line here. */
export const chains: readonly ChainRules[] = [ethereum, solana, algorand];
