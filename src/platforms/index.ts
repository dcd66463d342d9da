import type { Platform } from '#runtime/platform';
import { discord } from './discord/index.ts';
import { telegram } from './telegram/index.ts';

/** Every chat platform, in the order in which they are shown. To add one, add it here. */
export const platforms: readonly Platform[] = [discord, telegram];
