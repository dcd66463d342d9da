import { discord } from '#platforms/discord/index';
import type { Platform } from '#platforms/platform';
import { telegram } from '#platforms/telegram/index';

/** Every chat platform, in the order in which they are shown. To add one, add it here. */
export const platforms: readonly Platform[] = [discord, telegram];
