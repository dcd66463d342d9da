import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemberBoards } from '#gating/boards/member-boards';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { walletOf } from '../support/gated-community.ts';
import { deeds, PEOPLE, VisibilityWorld } from '../support/visibility.ts';

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

/** Every new surface that shows members gets a line here. */
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
        if (hidden > 1) expect(text).toContain(`${hidden} members aren’t shown`);
        await world.guild.gated.stop();
      }),
      { numRuns: 60 },
    );
  });
});
