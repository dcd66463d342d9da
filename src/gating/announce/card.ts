import {
  type Block,
  type Card,
  type CardEntry,
  type DrawPicture,
  EMBLEMS,
  type Span,
} from '#command';
import type { Texts } from '#command/texts';
import type { BadgeTier, Tier } from '#reputation';

/** What one member has achieved. */
export interface Achievement {
  readonly account: string;
  /** The tier that they have risen to; undefined if it's badges alone. */
  readonly tier: Tier | undefined;
  readonly badges: readonly { readonly name: string; readonly tier: BadgeTier }[];
}

/** Badges named of one member. */
const BADGES = 3;

/**
 * Tells a community who has risen, highest first.
 * @param more how many beside those named
 * @param picture the first one's rank card
 */
export function announcementCard(
  named: readonly Achievement[],
  more: number,
  texts: Texts,
  picture: DrawPicture | undefined,
): Card {
  const { announce, number } = texts;
  const [first] = named;
  const isOne = named.length === 1 && more === 0;
  const rest = more === 0 ? [] : [{ title: [announce.more(more, number(more))], detail: [] }];
  const blocks: Block[] =
    isOne && first !== undefined
      ? [{ kind: 'text', spans: spansOf(first, texts) }]
      : [{ kind: 'entries', entries: [...named.map((each) => entryOf(each, texts)), ...rest] }];
  return {
    tone: first?.tier ?? 'plain',
    title: isOne && first !== undefined ? titleOf(first, texts) : announce.several,
    blocks,
    actions: [],
    menu: undefined,
    footer: [],
    private: false,
    language: texts.language,
    ...(picture !== undefined && { picture }),
  };
}

function titleOf({ tier }: Achievement, { announce, tiers }: Texts): string {
  return tier === undefined ? announce.badge : tiers[tier];
}

function entryOf(one: Achievement, texts: Texts): CardEntry {
  const emblem = one.tier === undefined ? '🏅' : EMBLEMS[one.tier];
  return { title: [`${emblem} `, ...spansOf(one, texts)], detail: [] };
}

/** `@alice is a Whale now`, with the badges that they have earned. */
function spansOf({ account, tier, badges }: Achievement, texts: Texts): Span[] {
  const { announce, rarities } = texts;
  const names = badges.slice(0, BADGES).map((each) => `${each.name} (${rarities[each.tier]})`);
  const left = badges.length - names.length;
  const list = left > 0 ? [...names, texts.rep.more(texts.number(left))] : names;
  const earned = list.join(', ');
  const member = { member: account };
  if (tier === undefined) return [member, ` ${announce.earned(earned)}`];
  const risen = ` ${announce.isNow[tier]}`;
  return [member, earned === '' ? risen : `${risen} ${announce.and(earned)}`];
}
