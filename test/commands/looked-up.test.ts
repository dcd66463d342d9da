import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { walletOf } from '../support/import-lines.ts';
import { EFFORT } from '../support/random.ts';
import { type Deed, deeds, PEOPLE, quickDeed, VisibilityWorld } from '../support/visibility.ts';

/* What others learn of members by asking about them, over random histories of visibility. */

const STRANGER = 9_999;
/** Histories for each command: the members of one are its examples. */
const RUNS = 10 * EFFORT;
/** Of `/gate`, what tells of members. */
const MODERATORS_ACTIONS = ['why', 'log', 'list', 'preview'];

/** @param meanwhile happens once the wallets to show have been read */
async function answer(
  world: VisibilityWorld,
  who: number,
  command: string,
  args: Readonly<Record<string, string>>,
  meanwhile: () => Promise<void> = async () => undefined,
) {
  const { guild, linking, boards } = world;
  const answerer = answererWith({
    ...{ source: guild.source, gating: guild.gated.gating, boards },
    linksOf: (caller) => {
      const links = linking.of(caller);
      const walletsOf = links.walletsOf.bind(links);
      links.walletsOf = async (member) => {
        links.walletsOf = walletsOf;
        const wallets = await walletsOf(member);
        await meanwhile();
        return wallets;
      };
      return links;
    },
  });
  const caller = world.callerOf(who);
  return await answerer.answer({ call: { command, args }, caller, locale: 'en' });
}

async function worldAfter(history: readonly Deed[]) {
  const world = new VisibilityWorld();
  for (const who of PEOPLE.slice(0, 2)) {
    await world.do({ kind: 'return', who });
    await world.do({ kind: 'link', who });
    await world.do({ kind: 'choose', who, privacy: 'public', place: 'here' });
  }
  for (const deed of history) if (deed.kind !== 'look') await world.do(deed);
  return world;
}

describe.each(['rep', 'why', 'badges', 'activity'])(
  '/%s, over random histories of visibility',
  (command) => {
    it('shows a member to others if they show themselves, also as it is answered', async () => {
      await fc.assert(
        fc.asyncProperty(deeds, quickDeed, async (history, last) => {
          const world = await worldAfter(history);
          for (const who of PEOPLE) {
            const before = world.lookedUp();
            const meanwhile = async () => await world.do({ ...last, who });
            const card = await answer(world, STRANGER, command, { member: String(who) }, meanwhile);
            const isShown = before.includes(who) && world.lookedUp().includes(who);
            expect(cardText(card).includes(walletOf(who).address), `${who}`).toBe(isShown);
          }
          await world.guild.gated.stop();
        }),
        { numRuns: RUNS },
      );
    });

    it('answers about oneself privately unless one shows oneself', async () => {
      await fc.assert(
        fc.asyncProperty(deeds, async (history) => {
          const world = await worldAfter(history);
          for (const who of PEOPLE) {
            const card = await answer(world, who, command, {});
            const isPublic = !card.private && cardText(card).includes(walletOf(who).address);
            expect(isPublic, `${who}`).toBe(world.lookedUp().includes(who));
          }
          await world.guild.gated.stop();
        }),
        { numRuns: RUNS },
      );
    });
  },
);

it('What is about oneself alone is private, and what is for moderators tells others nothing', async () => {
  await fc.assert(
    fc.asyncProperty(deeds, async (history) => {
      const world = await worldAfter(history);
      await world.guild.rule();
      for (const who of PEOPLE) {
        for (const [command, args] of [
          ['access', {}],
          ['wallets', {}],
          ['privacy', {}],
          ['top', { board: 'me' }],
        ] as const) {
          expect((await answer(world, who, command, args)).private, command).toBe(true);
        }
        for (const action of MODERATORS_ACTIONS) {
          const card = await answer(world, STRANGER, 'gate', { action, member: String(who) });
          expect(card.private).toBe(true);
          expect(cardText(card)).not.toContain(String(who));
          expect(cardText(card)).not.toContain(walletOf(who).address);
        }
      }
      await world.guild.gated.stop();
    }),
    { numRuns: RUNS },
  );
});
