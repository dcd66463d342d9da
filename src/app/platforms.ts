import type { Platform } from '#platforms';
import { discord } from '#platforms/discord';
import { telegram } from '#platforms/telegram';

/** Every chat platform, in the order in which they are shown. To add one, add it here. */
export const platforms: readonly Platform[] = [discord, telegram];
