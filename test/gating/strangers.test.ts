import { beforeEach, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { GatedCommunity, GUILD, MODERATOR } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

/*
 * A community only sees its own members' figures. The same for Telegram, where people ask to join, is in
 * test/platforms/telegram/gating/strangers.platform.test.ts.
 */

let guild: GatedCommunity;

beforeEach(async () => {
  guild = new GatedCommunity(GUILD);
  await guild.rule({ requirements: [{ kind: 'score', least: 1 }] });
});

/** Links a wallet in private, outside of the guild. */
async function link(id: number, score: number): Promise<string> {
  guild.score(id, score);
  await guild.link(String(id), walletOf(id));
  guild.gated.watch.linksChanged({ platform: 'discord', id: String(id) });
  await guild.gated.watch.idle();
  return String(id);
}

it("a stranger's linked wallet leaves no trace", async () => {
  const stranger = await link(7, 6_000);
  await guild.pass();
  const { gating } = guild.gated;
  const { gains, atRisk, losses, members } = await gating.preview(GUILD);
  expect([gains, atRisk, losses, members]).toEqual([[], [], [], 0]);
  expect(await guild.audit()).toEqual(['rule-added']);
  expect(await guild.store.gating.member(GUILD, stranger)).toBeUndefined();
  expect((await gating.why(GUILD, stranger)).member).toBeUndefined();
});

it("protecting an account doesn't make it a member", async () => {
  const stranger = await link(7, 6_000);
  const { gating } = guild.gated;
  const protecting = gating.protect(GUILD, stranger, true, MODERATOR);
  await expect(protecting).rejects.toThrow(UserError);
  await expect(protecting).rejects.toMatchObject({ code: 'gate-no-member' });
  expect(await guild.store.gating.member(GUILD, stranger)).toBeUndefined();
  expect(await guild.audit()).toEqual(['rule-added']);
});

it('Figures of a member who left are hidden, protected or not', async () => {
  const member = await guild.member(8, 6_000);
  const { gating } = guild.gated;
  await gating.protect(GUILD, member, true, MODERATOR);
  expect((await gating.why(GUILD, member)).member?.wallets).toHaveLength(1);
  guild.adapter.roles.delete(member);
  const { member: found, findings } = await gating.why(GUILD, member);
  expect(found).toMatchObject({ isProtected: true, wallets: [] });
  expect(findings.map(({ verdict }) => verdict)).toMatchObject([{ standing: undefined }]);
  await gating.protect(GUILD, member, false, MODERATOR);
});

it('the history of a member who left is shown without their figures', async () => {
  const member = await guild.member(8, 6_000);
  await guild.pass();
  const { gating } = guild.gated;
  const details = async () =>
    (await gating.why(GUILD, member)).history.map(({ detail }) => detail).join('');
  expect(await details()).toContain('6');
  guild.adapter.roles.delete(member);
  // Also when they're looked up again.
  expect([await details(), await details()]).toEqual(['', '']);
});

it('the log has figures of members only', async () => {
  const member = await guild.member(8, 6_000);
  await guild.member(9, 7_000);
  await guild.pass();
  const { gating } = guild.gated;
  const details = async () =>
    (await gating.log(GUILD, 20, 0))
      .filter(({ event }) => event === 'given')
      .map(({ account, detail }) => [account, detail === '']);
  expect(await details()).toEqual([
    ['9', false],
    ['8', false],
  ]);
  guild.adapter.roles.delete(member);
  const hidden = [
    ['9', false],
    ['8', true],
  ];
  expect([await details(), await details()]).toEqual([hidden, hidden]);
  // Changes to rules aren't anyone's figures.
  expect((await gating.log(GUILD, 20, 0)).at(-1)?.detail).not.toBe('');
  guild.adapter.before = () => {
    throw new RetryableError('not now');
  };
  expect(await details()).toEqual(hidden);
});

it('a member is known as one even if the platform is unavailable', async () => {
  const member = await guild.member(8, 6_000);
  guild.adapter.before = () => {
    throw new RetryableError('not now');
  };
  expect((await guild.gated.gating.why(GUILD, member)).member?.wallets).toHaveLength(1);
});
