import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CommunityGating } from '#app/members/gating';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { textsFor } from '#command/texts/index';
import type { MemberBoards } from '#gating/boards/member-boards';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Wallet } from '#wallet/wallet';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { MODERATOR } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { silentLog } from '../support/log.ts';
import { EFFORT } from '../support/random.ts';
import {
  type Deed,
  deeds,
  PEOPLE,
  type QuickDeed,
  quickDeed,
  VisibilityWorld,
} from '../support/visibility.ts';

/** Of each property; every night more. */
const { top } = textsFor('en');
const RUNS = EFFORT === 1 ? 15 : 60 * EFFORT;

const DAY = 86_400;
/** 1970-01-05 was one. */
const FIRST_MONDAY = 4;

/** Something that shows members in their community. */
interface Surface {
  readonly name: string;
  /** Everything that anybody there can read. */
  readonly read: (world: VisibilityWorld) => Promise<string>;
}

/** Somebody in the community who has linked nothing types `/top here`. */
async function boardText(world: VisibilityWorld, boards: MemberBoards): Promise<string> {
  const { guild, linking } = world;
  const answerer = answererWith({
    ...{ source: guild.source, gating: guild.gated.gating, boards },
    linksOf: (caller) => linking.of(caller),
  });
  const call = { command: 'top', args: { board: 'here' } };
  return cardText(await answerer.answer({ call, caller: world.callerOf(9_999), locale: 'en' }));
}

/** The panel as it's kept: it was posted before what is read of it now. */
async function panelText(world: VisibilityWorld): Promise<string> {
  const { guild } = world;
  const { panels } = guild.gated.gating;
  const { settings } = await panels.of(guild.community);
  if (settings === undefined) await panels.turnOn(guild.community, '78', MODERATOR);
  guild.now += 61;
  await panels.of(guild.community);
  return shownIn(guild, '78').join('\n');
}

/** The digest of a week in which every wallet gained points, posted by a process that has just begun. */
async function digestText(world: VisibilityWorld): Promise<string> {
  const { guild, linking } = world;
  const process = guild.open({
    source: gaining(guild),
    announcedAmong: (...asked) => linking.announcedAmong(...asked),
    revision: () => String(world.revision),
  });
  const { announcing } = process.gating;
  const settings = { channel: '79', from: 'Whale', badges: undefined } as const;
  await announcing.turnOn(guild.community, settings, MODERATOR);
  await announcing.setWeekly(guild.community, true, MODERATOR);
  const time = guild.now;
  const sinceMonday = (Math.floor(time / DAY) - FIRST_MONDAY) % 7;
  guild.now = (Math.floor(time / DAY) - sinceMonday + 7) * DAY + 8 * 3_600;
  await process.announcements.round();
  await announcing.turnOff(guild.community, MODERATOR);
  await process.stop();
  const [text = ''] = shownIn(guild, '79').slice(-1);
  guild.adapter.posts.length = 0;
  guild.now = time;
  // A count by tier would tell of whoever hides, too.
  const counts = text.matchAll(/(?:Titan|Whale|Shark|Dolphin|Shrimp)\D*(\d+)/g);
  const counted = [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  expect(counted, text).toBe(world.announced().length);
  return text;
}

/** Wallets whose points were all earned on the last Sunday. */
function gaining(guild: VisibilityWorld['guild']): ReputationSource {
  const scoreOf = ({ address }: Wallet) => guild.source.scores.get(address) ?? 0;
  const reading = () => {
    const sunday = new Date((Math.floor(guild.now / DAY) - 1) * DAY * 1_000);
    const day = sunday.toISOString().slice(0, 10);
    return Object.assign(guild.source.reading(), {
      gains: (wallets: readonly Wallet[]) => wallets.map(scoreOf),
      history: (wallet: Wallet) => ({
        address: wallet.address,
        days: [{ day, score: scoreOf(wallet) }],
      }),
    });
  };
  return { reading, recognise: () => undefined };
}

function shownIn({ adapter }: VisibilityWorld['guild'], place: string): string[] {
  const shown = adapter.posts.filter(({ channel, isDeleted }) => channel === place && !isDeleted);
  return shown.map(({ card }) => cardText(card));
}

/** Messages of the bot itself, with whom they name. */
const POSTS = [
  { name: 'the panel', read: panelText, named: () => [] },
  { name: 'the digest', read: digestText, named: (world) => world.announced() },
] satisfies readonly (Surface & { readonly named: (world: VisibilityWorld) => number[] })[];

/** Every new surface that shows members gets a line here, or in `POSTS`. */
const SURFACES: readonly Surface[] = [
  {
    name: 'the board of members',
    read: (world) => boardText(world, world.boards),
  },
  {
    name: 'the same in another process',
    read: (world) => boardText(world, world.otherBoards),
  },
];

/** Rounds of one process, or of two in turns. @returns makes one, a minute after the last */
async function announcing(world: VisibilityWorld, replicas: number): Promise<() => Promise<void>> {
  const { guild, linking } = world;
  const work = new MemoryWork(() => guild.now * 1_000);
  const processes: CommunityGating[] = [];
  for (let id = 0; id < replicas; id++) {
    const replica = new Replica({ id: String(id), store: work, log: silentLog });
    await replica.begin();
    onTestFinished(() => replica.stop());
    processes.push(
      guild.open({
        replica,
        announcedAmong: (...asked) => linking.announcedAmong(...asked),
        revision: () => String(world.revision),
      }),
    );
  }
  const settings = { channel: '77', from: 'Whale', badges: undefined } as const;
  await guild.gated.gating.announcing.turnOn(guild.community, settings, MODERATOR);
  let rounds = 0;
  return async () => {
    await world.do({ kind: 'wait', seconds: 61 });
    rounds += 1;
    await processes[rounds % replicas]?.announcements.round();
  };
}

/** Nothing is new in the source when somebody joins again, so nothing but time has them looked at. */
const JOINED_SINCE: Deed[] = [
  { kind: 'look' },
  { kind: 'leave', who: 8102 },
  { kind: 'return', who: 8102 },
];

describe.each([1, 2])('Over random histories of visibility, %i processes announce', (replicas) => {
  it('those alone who show themselves and want it, and each rise once', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, quickDeed, async (history, last) => {
        const world = new VisibilityWorld();
        const round = await announcing(world, replicas);
        for (const who of PEOPLE) {
          await world.do({ kind: 'return', who });
          await world.do({ kind: 'link', who });
          await world.do({ kind: 'choose', who, privacy: 'public', place: 'here' });
        }
        const told: string[] = [];
        const wrong: string[] = [];
        const { adapter } = world.guild;
        // Some do something while the platform is asked for the members who may be named.
        let meanwhile: QuickDeed | undefined;
        const member = adapter.member.bind(adapter);
        adapter.member = async (...asked) => {
          const deed = meanwhile;
          meanwhile = undefined;
          if (deed !== undefined) await world.do(deed);
          return await member(...asked);
        };
        const post = adapter.post.bind(adapter);
        adapter.post = async (...[community, channel, card, key]) => {
          const text = cardText(card);
          const named = PEOPLE.filter((who) => text.includes(String(who)));
          const may = world.announced();
          // Nobody but them is counted either.
          const isWrong = text.includes('other member') || named.some((who) => !may.includes(who));
          if (isWrong) wrong.push(text);
          told.push(...named.map((who) => `${who} ${text.includes('Titan')}`));
          return await post(community, channel, card, key);
        };
        const rounds = async (count: number) => {
          for (let i = 0; i < count; i++) await round();
        };
        for (const deed of history) {
          if (deed.kind === 'look') await round();
          else await world.do(deed);
        }
        await rounds(24);
        told.length = 0;
        for (const who of PEOPLE) world.score(who, 60_000);
        const before = world.announced();
        meanwhile = last;
        await rounds(24);
        expect(wrong).toEqual([]);
        const after = world.announced();
        const right = before.filter((who) => after.includes(who)).map((who) => `${who} true`);
        expect(new Set(told)).toEqual(new Set(right));
        expect(told).toHaveLength(right.length);
        await world.guild.gated.stop();
      }),
      { numRuns: RUNS, examples: [[JOINED_SINCE, { kind: 'announced', who: 8101, isOn: false }]] },
    );
  });
});

describe.each([
  ['with rules', true],
  ['without rules', false],
] as const)('In a community %s, over random histories of visibility', (_, hasRules) => {
  it.each(SURFACES)('$name shows those alone who choose to be shown', async ({ read }) => {
    await fc.assert(
      fc.asyncProperty(deeds, async (history) => {
        const world = new VisibilityWorld();
        if (hasRules) await world.guild.rule();
        for (const deed of [...history, { kind: 'look' } as const]) {
          if (deed.kind !== 'look') {
            await world.do(deed);
            continue;
          }
          const text = await read(world);
          const visible = world.visible();
          for (const who of PEOPLE) {
            if (visible.includes(who)) continue;
            expect(text).not.toContain(String(who));
            expect(text).not.toContain(walletOf(who).address);
          }
        }
        // A minute later, everybody who may be shown is.
        await world.do({ kind: 'wait', seconds: 61 });
        const text = await read(world);
        for (const who of world.visible()) expect(text).toContain(String(who));
        const hidden = world.hidden().length;
        if (hidden === 0) expect(text).not.toContain('shown');
        if (hidden > 1) expect(text).toContain(top.hidden(hidden, String(hidden)));
        await world.guild.gated.stop();
      }),
      { numRuns: RUNS },
    );
  });
});

describe('Over random histories of visibility, with a hidden rule', () => {
  it.each(POSTS)('$name names those alone whom it may, and not the rule', async (post) => {
    await fc.assert(
      fc.asyncProperty(deeds, async (history) => {
        const world = new VisibilityWorld();
        const { guild } = world;
        await guild.rule();
        const secret = { grant: '901', isHidden: true } as const;
        await guild.rule({ ...secret, requirements: [{ kind: 'score', least: 4_321 }] });
        await guild.store.gating.renameGrant(guild.community, '901', 'Secret Club');
        for (const who of PEOPLE.slice(0, 2)) {
          await world.do({ kind: 'return', who });
          await world.do({ kind: 'link', who });
          await world.do({ kind: 'choose', who, privacy: 'public', place: 'here' });
        }
        for (const deed of [...history, { kind: 'look' } as const]) {
          if (deed.kind !== 'look') {
            await world.do(deed);
            continue;
          }
          const text = await post.read(world);
          const named = post.named(world);
          for (const who of PEOPLE) {
            expect(text.includes(String(who)), `${who} in ${text}`).toBe(named.includes(who));
            expect(text).not.toContain(walletOf(who).address);
          }
          expect(text).not.toMatch(/Secret|901|4,321/);
        }
        await guild.gated.stop();
      }),
      { numRuns: RUNS },
    );
  });
});
