import { hash } from 'node:crypto';
import { createRankCards } from '#app/chats/pictures';
import { wallSeconds } from '#base/time/clock';
import { WEB } from '#command/account';
import type { Card } from '#command/cards/card';
import { activityId } from '#import/activity-id';
import type { PictureOf } from '#pictures/shown/pictures';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { AnnouncingCommunity } from './announcing.ts';
import { GUILD } from './gated-community.ts';

interface Announced {
  readonly store: Store;
  readonly source: ReputationSource;
  /** As pages show them. */
  readonly pictureOf: PictureOf;
  readonly member: string;
  readonly wallet: Wallet;
  /** What an activity gives it, so that it rises. */
  readonly points: number;
}

/** What a server posts when a member's wallet has risen, with its rank card. */
export async function announcedRise(parts: Announced): Promise<Card> {
  const { store, source, pictureOf, member, wallet, points } = parts;
  const guild = new AnnouncingCommunity(GUILD, store);
  const rankCard = createRankCards(source, (wanted) =>
    pictureOf({ ...wanted, caller: { platform: WEB, id: '' } }),
  );
  guild.gated = guild.process({ source, rankCard });
  guild.adapter.join(member);
  await guild.link(member, wallet);
  await store.gating.noteMembers(guild.community, [member]);
  await guild.turnOn();
  const activity = {
    wallet,
    type: 'governance_vote',
    description: 'Voted on a proposal',
    points,
    timestamp: wallSeconds(),
    badge: undefined,
    source: 'pictures',
  };
  const id = activityId(activity, (text) => hash('sha256', text));
  const writer = store.openWriter();
  await writer.stage({ badges: [], names: [], activities: [{ ...activity, id }] });
  await writer.commit();
  await store.refresh();
  guild.news();
  await guild.minutes(2);
  await guild.gated.stop();
  const card = guild.adapter.posts[0]?.card;
  if (card === undefined) throw new Error('nothing was announced');
  return card;
}
