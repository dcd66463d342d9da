import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { cardText } from '../support/card-text.ts';
import { NAMES, openSetup } from '../support/gate-setup.ts';
import { MODERATOR } from '../support/gated-community.ts';

/* `/gate setup panel:#channel`: the message for members is the last thing that a setup makes. */

const EN = textsFor('en');

let { guild, adapter, setup, names, rules, carryOut, posted, say } = openSetup();

beforeEach(() => {
  ({ guild, adapter, setup, names, rules, carryOut, posted, say } = openSetup());
});

describe('the panel of a setup', () => {
  const panel = async () => (await guild.gated.gating.panels.of(guild.community)).settings;

  it('is posted last, with the rules, where the moderator wants it, and taken away by the undo', async () => {
    const plan = await say({ panel: '88' });
    expect(cardText(plan)).toContain(`${EN.panel.settings}: #88`);
    expect(plan.actions[0]?.map((each) => 'call' in each && each.call.args)).toEqual([
      { action: 'setup', rule: 'nnnnn', panel: '88', answer: 'go' },
    ]);
    const done = await say({ answer: 'go', rule: 'nnnnn', panel: '88' });
    expect(cardText(done)).toContain(`${EN.panel.isIn} #88`);
    expect(posted()).toEqual(['88']);
    for (const name of NAMES) expect(cardText(adapter.posts[0]?.card as Card)).toContain(name);
    expect(adapter.edits).toBe(0);
    expect(cardText(await say({ panel: '88' }))).toContain(EN.gate.setupNothing);
    await say({ answer: 'sure' });
    expect(posted()).toEqual([]);
    expect(adapter.edits).toBe(0);
    expect(await panel()).toBeUndefined();
    expect(await guild.store.gating.withPanels()).toEqual([]);
  });

  it('is offered where the rest is there already', async () => {
    await carryOut();
    const plan = cardText(await say({}));
    expect(plan).toContain(EN.gate.setupNothing);
    expect(plan).toContain(EN.gate.setupNoPanel);
    await say({ answer: 'go', panel: '88' });
    expect(posted()).toEqual(['88']);
    await say({ answer: 'sure' });
    expect([posted(), names(), await rules()]).toEqual([[], [], []]);
  });

  it('is left where somebody else has posted one', async () => {
    await guild.gated.gating.panels.turnOn(guild.community, '70', MODERATOR);
    expect(cardText(await say({ panel: '88' }))).toContain(`${EN.panel.isIn} #70`);
    await carryOut(false, undefined, '88');
    await setup().undo(guild.community, MODERATOR);
    expect(posted()).toEqual(['70']);
  });

  it('is left once somebody has moved it', async () => {
    await carryOut(false, undefined, '88');
    await guild.gated.gating.panels.turnOn(guild.community, '89', MODERATOR);
    await setup().undo(guild.community, MODERATOR);
    expect(posted()).toEqual(['89']);
  });

  it('stays away once a moderator has taken it away, also by a second setup', async () => {
    await carryOut(false, undefined, '88');
    await guild.gated.gating.panels.turnOff(guild.community, MODERATOR);
    const [first] = await guild.gated.gating.rulesOf(guild.community);
    await guild.gated.gating.remove(guild.community, first?.id ?? '', MODERATOR);
    await carryOut();
    expect([await panel(), posted()]).toEqual([undefined, []]);
  });

  it.each([{ panel: '88' }, { channel: '88' }])(
    'is planned with a warning where the bot cannot post in a channel: %j',
    async (places) => {
      expect((await say({ panel: '87', channel: '87', ...places })).tone).toBe('plain');
      adapter.closed.add('88');
      const plan = await say({ panel: '87', channel: '87', ...places });
      expect(plan.tone).toBe('warning');
      expect(cardText(plan)).toContain(EN.gate.channelFailed['channel-closed']);
    },
  );

  it('is not what a refused channel for reports seems to be about', async () => {
    adapter.closed.add('77');
    const done = cardText(await say({ answer: 'go', panel: '88', channel: '77' }));
    expect(done).toContain(EN.gate.setupChannelRefused);
    expect(posted()).toEqual(['88']);
  });

  it('says why its channel does not take it; the rest is there', async () => {
    adapter.closed.add('88');
    const done = cardText(await say({ answer: 'go', panel: '88' }));
    expect(done).toContain(EN.gate.setupDone);
    expect(done).toContain(EN.panel.refused);
    expect(await rules()).toHaveLength(5);
  });

  it('goes to another channel that is named after the first one did not take it', async () => {
    adapter.closed.add('88');
    await say({ answer: 'go', panel: '88' });
    guild.now += 61;
    const amiss = await say({});
    expect(amiss.tone).toBe('warning');
    expect(cardText(amiss)).toContain(EN.panel.refused);
    expect(cardText(await say({ panel: '89' }))).toContain(`${EN.panel.settings}: #89`);
    await say({ answer: 'go', panel: '89' });
    expect(posted()).toEqual(['89']);
    expect(cardText(await say({}))).toContain(EN.gate.setupNothing);
    await say({ answer: 'sure' });
    expect(posted()).toEqual([]);
  });

  it('is taken away although the answer to its post was lost', async () => {
    adapter.postsFail = 'lost';
    await carryOut(false, undefined, '88');
    expect(posted()).toEqual(['88']);
    adapter.postsFail = undefined;
    await setup().undo(guild.community, MODERATOR);
    expect(posted()).toEqual([]);
  });

  it('is taken away by the next round if the platform is away', async () => {
    await carryOut(false, undefined, '88');
    adapter.before = (call) => {
      if (call.startsWith('delete post')) throw new RetryableError('away');
      return undefined;
    };
    await setup().undo(guild.community, MODERATOR);
    expect(posted()).toEqual(['88']);
    adapter.before = () => undefined;
    guild.now += 61;
    await guild.gated.gating.panels.round();
    expect(posted()).toEqual([]);
  });
});
