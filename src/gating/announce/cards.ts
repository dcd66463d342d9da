import {
  type Block,
  type Card,
  type CardEntry,
  type DrawPicture,
  EMBLEMS,
  type Span,
} from '#command';
import type { Texts } from '#command/texts';
import { type BadgeTier, TIERS, type Tier } from '#reputation';
import type { DigestWeek } from './digest.ts';
import type { DigestHolder, DigestRiser } from './digest-figures.ts';

/** What one member has achieved. */
export interface Achievement {
  readonly account: string;
  /** The tier that they have risen to; undefined if it's badges alone. */
  readonly tier: Tier | undefined;
  readonly badges: readonly { readonly name: string; readonly tier: BadgeTier }[];
}

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
  const { announce } = texts;
  const earned = badgeList(badges, texts);
  const member = { member: account };
  if (tier === undefined) return [member, ` ${announce.earned(earned)}`];
  const risen = ` ${announce.isNow[tier]}`;
  return [member, earned === '' ? risen : `${risen} ${announce.and(earned)}`];
}

export interface DigestContents {
  readonly week: DigestWeek;
  readonly risers: readonly Pick<DigestRiser, 'account' | 'points'>[];
  /** What the next one gained, who isn't named. */
  readonly nextPoints: number | undefined;
  readonly holders: readonly Pick<DigestHolder, 'account' | 'badges'>[];
  /** Members with new badges, beside those named. */
  readonly moreHolders: number;
  readonly tiers: ReadonlyMap<Tier, number>;
  /** Members who have linked a wallet. */
  readonly linked: number;
}

const MEDALS = ['🥇', '🥈', '🥉'];
/** Badges named of one member. */
const BADGES = 3;
/** Seconds after midnight UTC at which it's the same day from Hawaii to New Zealand, also in summer. */
const SAME_DAY = 36_000;
const DAY = 86_400;

/** Who gained as much has the same one, as on boards, and none where not all of them are named. */
function medalOf(
  points: number,
  { risers, nextPoints }: Pick<DigestContents, 'risers' | 'nextPoints'>,
): string | undefined {
  if (points === nextPoints) return undefined;
  return MEDALS[risers.filter((each) => each.points > points).length];
}

/** What happened in a community in a week. */
export function digestCard(contents: DigestContents, texts: Texts): Card {
  const { week, risers, holders, moreHolders, tiers, linked } = contents;
  const { digest, announce, number } = texts;
  const rest: readonly CardEntry[] =
    moreHolders === 0
      ? []
      : [{ title: [announce.more(moreHolders, number(moreHolders))], detail: [] }];
  const facts = TIERS.flatMap((tier) => {
    const count = tiers.get(tier);
    const label = `${EMBLEMS[tier]} ${texts.tiers[tier]}`;
    return count === undefined ? [] : [{ label, value: [number(count)] }];
  });
  const blocks: Block[] = [
    ...part(
      digest.risers,
      risers.map(({ account, points }) => ({
        title: [`${medalOf(points, contents) ?? '▫️'} `, { member: account }, ` +${number(points)}`],
        detail: [],
      })),
    ),
    ...part(
      digest.badges,
      holders.map(({ account, badges }) => ({
        title: ['🏅 ', { member: account }, ` ${announce.earned(badgeList(badges, texts))}`],
        detail: [],
      })),
      rest,
    ),
    ...(facts.length === 0
      ? []
      : [{ kind: 'heading', text: digest.tiers } as const, { kind: 'facts', facts } as const]),
    { kind: 'text', spans: [digest.linked(linked, number(linked))] },
  ];
  return {
    tone: 'plain',
    title: digest.title,
    blocks,
    actions: [],
    menu: undefined,
    footer: daysOf(week),
    private: false,
    language: texts.language,
  };
}

function part(heading: string, entries: readonly CardEntry[], rest: readonly CardEntry[] = []) {
  if (entries.length === 0) return [];
  const list: Block = { kind: 'entries', entries: [...entries, ...rest] };
  return [{ kind: 'heading', text: heading } as const, list];
}

/** Some of a member's badges by name, and how many more. */
function badgeList(badges: Achievement['badges'], { rarities, rep, number }: Texts): string {
  const names = badges.slice(0, BADGES).map((each) => `${each.name} (${rarities[each.tier]})`);
  const left = badges.length - names.length;
  return (left > 0 ? [...names, rep.more(number(left))] : names).join(', ');
}

/** Readers see them in their own time zone. */
function daysOf({ from, until }: DigestWeek): readonly Span[] {
  const day = (time: number): Span => ({ time: time + SAME_DAY, style: 'date' });
  return [day(from), ' – ', day(until - DAY)];
}
