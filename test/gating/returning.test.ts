import { beforeEach, describe, expect, it } from 'vitest';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';

/* In the default mode, a lookup is the only way to learn that a member has left. */

let guild: GatedCommunity;

beforeEach(async () => {
  guild = new GatedCommunity();
  await guild.rule();
  await guild.member(1, 6_000);
  guild.adapter.joinedAt.set('1', 100);
  await guild.pass();
});

const caller = { platform: 'discord', id: '1', community: '700' } as const;
const grant = async () => (await guild.store.gating.grantsOf(guild.community, ['1']))[0];

/** They come back without their roles. */
function comeBack(): void {
  guild.adapter.join('1');
  guild.adapter.joinedAt.set('1', 200);
}

async function use(): Promise<void> {
  guild.gated.watch.seen(caller);
  await guild.gated.watch.idle();
}

describe('a member who left', () => {
  it('has nothing from a rule any more, as soon as someone asks why', async () => {
    guild.adapter.roles.delete('1');
    const { findings } = await guild.gated.gating.why(guild.community, '1');
    expect(findings.map((each) => each.grant.ownership)).not.toContain('ours');
    expect(await grant()).toBeUndefined();
    expect(await guild.store.gating.member(guild.community, '1')).toBeUndefined();
    comeBack();
    await use();
    expect(guild.holders()).toEqual(['1']);
  });

  it('is protected when they return', async () => {
    await guild.gated.gating.protect(guild.community, '1', true, MODERATOR);
    guild.adapter.roles.delete('1');
    await guild.gated.gating.why(guild.community, '1');
    comeBack();
    await use();
    const back = await guild.store.gating.member(guild.community, '1');
    expect(back?.isProtected).toBe(true);
  });
});

describe('a member who returned before anyone asked', () => {
  it('gets the role again with their first command', async () => {
    comeBack();
    const { findings } = await guild.gated.gating.why(guild.community, '1');
    expect(findings[0]?.grant.ownership).toBe('none');
    await use();
    expect(guild.holders()).toEqual(['1']);
    expect(await grant()).toMatchObject({ ownership: 'ours', joinedAt: 200 });
  });

  it("gets it although an older version hadn't recorded when they joined", async () => {
    const kept = await grant();
    await guild.store.gating.putGrants(guild.community, [{ ...kept!, joinedAt: undefined }]);
    await guild.gated.gating.check(guild.community, '1');
    comeBack();
    await use();
    expect(guild.holders()).toEqual(['1']);
  });
});
