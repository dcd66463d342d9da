import type { Command } from '#core/command';
import { activity } from './activity.ts';
import { apikey } from './apikey.ts';
import { badges } from './badges.ts';
import { help } from './help.ts';
import { rep } from './rep.ts';
import { stats } from './stats.ts';
import { top } from './top.ts';

/** All that people may ask, in the order in which platforms show it. A new one is a file and a line. */
export const commands: readonly Command[] = [rep, badges, activity, top, stats, apikey, help];
