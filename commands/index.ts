import type { Command } from '#core/command';
import { activity } from './activity.ts';
import { apikey } from './apikey.ts';
import { badges } from './badges.ts';
import { gate } from './gate.ts';
import { help } from './help.ts';
import { link } from './link.ts';
import { privacy } from './privacy.ts';
import { rep } from './rep.ts';
import { stats } from './stats.ts';
import { top } from './top.ts';
import { unlink } from './unlink.ts';
import { wallets } from './wallets.ts';

/** All that people may ask, in the order in which platforms show it. A new one is a file and a line. */
export const commands: readonly Command[] = [
  rep,
  badges,
  activity,
  top,
  stats,
  link,
  wallets,
  unlink,
  privacy,
  apikey,
  gate,
  help,
];
