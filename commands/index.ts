/** Everything that people can ask: the list of commands. */

import { access } from './access.ts';
import { activity } from './activity.ts';
import type { Command } from './answering/command.ts';
import { apikey } from './apikey.ts';
import { badges } from './badges.ts';
import { card } from './card.ts';
import { gate } from './gating/gate.ts';
import { help } from './help.ts';
import { link } from './linking/link.ts';
import { unlink } from './linking/unlink.ts';
import { wallets } from './linking/wallets.ts';
import { privacy } from './privacy.ts';
import { rep } from './rep.ts';
import { stats } from './stats.ts';
import { top } from './top.ts';
import { why } from './why.ts';

/** All commands, in the order platforms show them. To add one, add a file and a line here. */
export const commands: readonly Command[] = [
  rep,
  badges,
  activity,
  why,
  top,
  stats,
  link,
  wallets,
  unlink,
  access,
  privacy,
  apikey,
  gate,
  card,
  help,
];
