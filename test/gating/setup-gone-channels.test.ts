import { beforeEach, describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { cardText } from '../support/card-text.ts';
import { NAMES, openSetup } from '../support/gate-setup.ts';
import { MODERATOR } from '../support/gated-community.ts';

/* `/gate setup` after somebody has deleted the channels that it chose. */

const { gate, panel } = textsFor('en');

let { guild, adapter, names, settings, carryOut, posted, say } = openSetup();

beforeEach(async () => {
  ({ guild, adapter, names, settings, carryOut, posted, say } = openSetup());
  await carryOut(false, '77', '88');
  // A panel is looked at once a minute.
  guild.now += 61;
});

describe('the channel that reports go to', () => {
  beforeEach(() => adapter.deleteChannel('77'));

  it('is said to be gone, in place of that everything is set up', async () => {
    const plan = await say({});
    expect(plan.tone).toBe('warning');
    expect(cardText(plan)).toContain(gate.setupChannelGone);
    expect(cardText(plan)).not.toContain(gate.setupNothing);
    expect(cardText(plan)).not.toContain(gate.logTo);
  });

  it('is replaced by another, and by none once that is undone', async () => {
    expect(cardText(await say({ channel: '78' }))).toContain(`${gate.logTo} #78`);
    await say({ answer: 'go', channel: '78' });
    expect(await settings()).toMatchObject({ logChannel: '78' });
    expect(cardText(await say({}))).toContain(gate.setupNothing);
    expect(names()).toEqual(NAMES);
    await say({ answer: 'sure' });
    expect((await settings()).logChannel).toBeUndefined();
  });

  it('that a moderator chose is replaced, and not set back by the undo', async () => {
    await guild.gated.gating.setLogChannel(guild.community, '79', await say({}), MODERATOR);
    adapter.deleteChannel('79');
    await say({ answer: 'go', channel: '78' });
    await say({ answer: 'sure' });
    expect((await settings()).logChannel).toBeUndefined();
  });

  it('is replaced by where the platform itself writes to moderators', async () => {
    adapter.places = [{ channel: '90', isPublic: false }];
    await say({ answer: 'go' });
    expect((await settings()).logChannel).toBe('90');
  });
});

describe('the channel of the panel', () => {
  beforeEach(() => adapter.deleteChannel('88'));

  it('is said to be gone, in place of that everything is set up', async () => {
    const plan = await say({});
    expect(plan.tone).toBe('warning');
    expect(cardText(plan)).toContain(panel.deleted);
    expect(cardText(plan)).not.toContain(gate.setupNothing);
    expect(posted()).toEqual([]);
  });

  it('is replaced by another once, and the undo takes that one away', async () => {
    expect(cardText(await say({ panel: '89' }))).toContain(`${panel.settings}: #89`);
    await say({ answer: 'go', panel: '89' });
    expect(posted()).toEqual(['89']);
    guild.now += 61;
    expect(cardText(await say({ panel: '91' }))).toContain(gate.setupNothing);
    await say({ answer: 'sure' });
    expect(posted()).toEqual([]);
    expect((await settings()).panel).toBeUndefined();
  });
});
