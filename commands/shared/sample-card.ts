import { formatTime } from '#base';
import type { Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import type { Reputation } from '#reputation';
import type { Wallet } from '#wallet';

/** Nobody has its key. */
const WALLET: Wallet = {
  address: '0x0000000000000000000000000000000000000000',
  chain: 'ethereum',
};
const RANK = 12;
const USERS = 3_000;

/** The rank card of a made-up wallet, as this community would see it. */
export function sampleCard(context: CommandContext): Pick<Card, 'picture'> {
  const { pictureOf, caller, texts, thresholds, now } = context;
  if (pictureOf === undefined) return {};
  const record: Reputation = {
    ...WALLET,
    score: Math.round((thresholds.whale + thresholds.titan) / 2),
    tier: 'Whale',
    rank: RANK,
    totalUsers: USERS,
    badges: [],
    lastUpdated: formatTime(now),
  };
  const { language } = texts;
  const name = texts.card.sample;
  const wallet = WALLET;
  return {
    picture: pictureOf({ wallet, caller, language, record, badges: [], name, isStale: false }),
  };
}
