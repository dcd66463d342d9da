import { expect, it } from 'vitest';
import { BoardMembers } from '#gating/boards/board-members';
import { GatedCommunity, GUILD } from '../support/gated-community.ts';

/* Members of a board, while several people ask at once. */

it('Members of a board are read again for whoever changes something while they are read for somebody else', async () => {
  const guild = new GatedCommunity(GUILD);
  for (const id of [1, 2]) await guild.member(id, 1_000);
  const hidden = new Set<string>();
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let isHeldUp = false;
  const members = new BoardMembers(
    {
      store: guild.store.gating,
      shownAmong: async (_, accounts) => {
        const shown = new Set(accounts.filter((each) => !hidden.has(each)));
        if (isHeldUp) {
          isHeldUp = false;
          asked.resolve();
          await answered.promise;
        }
        return shown;
      },
      monotonic: () => 0,
      yieldToEventLoop: () => Promise.resolve(),
    },
    GUILD,
  );
  await members.refresh();
  isHeldUp = true;
  members.changed({ platform: GUILD.platform, id: '2' });
  const other = members.refresh();
  await asked.promise;
  hidden.add('1');
  members.changed({ platform: GUILD.platform, id: '1' });
  const own = members.refresh();
  answered.resolve();
  await own;
  expect([...members.shown.keys()]).toEqual(['2']);
  expect(members.hidden).toBe(1);
  await other;
  await guild.gated.stop();
});
