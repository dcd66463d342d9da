import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import type { Caller } from '#command/account';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import type { Requirement } from '#gating/requirements/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { linkingWith } from '../support/linking.ts';

const texts = textsFor('en');
const { access: words, gate } = texts;

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

const setMode = async (mode: 'best' | 'sum') =>
  await guild.gated.gating.choices.setWalletMode(guild.community, mode, MODERATOR);

/** Another wallet of a member. */
async function also(account: string, id: number, score: number): Promise<void> {
  guild.score(id, score);
  await guild.link(account, walletOf(id));
}

/** Someone types a command there. */
async function say(
  account: string,
  command: string,
  args: Record<string, string> = {},
): Promise<Card> {
  const { platform, id } = guild.community;
  const caller: Caller = { platform, id: account, community: id };
  const linking = linkingWith({ store: guild.links, clock: () => guild.now * 1000 });
  const answerer = answererWith({
    gating: guild.gated.gating,
    source: guild.source,
    linksOf: (each) => linking.of(each),
    clock: () => guild.now * 1000,
  });
  const call = { command, args };
  return await answerer.answer({ call, caller, locale: 'en', isModerator: () => true });
}

describe('With the sum of wallets', () => {
  it('a member gets a role that none of their wallets reaches, with the next run', async () => {
    await guild.rule();
    const account = await guild.member(1, 2_500);
    await also(account, 2, 2_500);
    await guild.pass();
    expect(guild.holders()).toEqual([]);
    expect(await setMode('sum')).toBe(true);
    expect(await setMode('sum')).toBe(false);
    await guild.pass();
    expect(guild.holders()).toEqual([account]);
    expect(await guild.audit()).toContain('wallets');
  });

  it('unlinking a wallet lowers by the rules of doubt', async () => {
    await guild.rule();
    await setMode('sum');
    const account = await guild.member(1, 2_500);
    await also(account, 2, 2_500);
    await guild.pass();
    await guild.unlink(account, walletOf(2));
    await guild.hours(1);
    expect(guild.holders()).toEqual([account]);
    // Three readings over an hour, then the grace period, then one more.
    await guild.hours(24);
    expect(guild.holders()).toEqual([account]);
    await guild.hours(2);
    expect(guild.holders()).toEqual([]);
    expect(await guild.audit()).toContain(`warned ${account}`);
  });

  it('takes nothing for a wallet that cannot be read, and grants where the others suffice', async () => {
    // Whom the source is checked by.
    for (let id = 100; id < 106; id += 1) guild.score(id, 50_000);
    await guild.rule();
    await setMode('sum');
    const has = await guild.member(1, 2_500);
    await also(has, 2, 2_500);
    await guild.pass();
    const gets = await guild.member(3, 5_000);
    await also(gets, 4, 100);
    const misses = await guild.member(5, 4_900);
    await also(misses, 6, 4_000);
    const broken = new Set([2, 4, 6].map((id) => walletOf(id).address));
    guild.source.before = (address) => {
      if (broken.has(address)) throw new RetryableError('The upstream did not answer.');
    };
    await guild.hours(48);
    expect(guild.holders()).toEqual([has, gets]);
    expect(await guild.audit()).not.toContain(`warned ${has}`);
    guild.source.before = () => undefined;
    await guild.pass();
    expect(guild.holders()).toEqual([has, gets, misses]);
  });

  it('a switch back lowers by the rules of doubt as well, and readings start over', async () => {
    await guild.rule({ graceSeconds: 0 });
    await setMode('sum');
    const account = await guild.member(1, 2_500);
    await also(account, 2, 2_500);
    await guild.pass();
    guild.score(2, 100);
    await guild.hours(0.5);
    await guild.hours(0.5);
    await setMode('best');
    guild.now += 60;
    await guild.pass();
    await guild.hours(0.5);
    expect(guild.holders()).toEqual([account]);
    await guild.hours(1);
    expect(guild.holders()).toEqual([]);
  });

  it('a run skips what it planned by the other way of counting', async () => {
    await guild.rule();
    await setMode('sum');
    for (const id of [1, 3, 5]) {
      const account = await guild.member(id, 2_500);
      await also(account, id + 10, 2_500);
    }
    let given = 0;
    guild.adapter.before = (call) => {
      if (call.startsWith('give')) given += 1;
      if (given === 1) {
        given = 2;
        // In SQLite it's done at once.
        void guild.store.gating.putSettings(guild.community, { walletMode: 'best' });
      }
      return undefined;
    };
    await guild.pass();
    expect(guild.holders()).toHaveLength(1);
    const [run] = await guild.store.gating.runsOf(guild.community, 1);
    const skipped = await guild.store.gating.changesOf(run?.id ?? '', 'skipped', -1, 9);
    expect(skipped.map(({ reason }) => reason)).toEqual(['rule-changed', 'rule-changed']);
  });

  it('a bound is about the sum', async () => {
    const bounds = [{ kind: 'most', score: 4_000 }] as const;
    const requirements: readonly Requirement[] = [{ kind: 'score', least: 1 }];
    await guild.rule({ requirements, bounds });
    const account = await guild.member(1, 2_500);
    await also(account, 2, 2_500);
    await setMode('sum');
    await guild.pass();
    expect(guild.holders()).toEqual([]);
    await setMode('best');
    await guild.pass();
    expect(guild.holders()).toEqual([account]);
  });
});

describe('A store that is away', () => {
  const away = () => {
    throw new RetryableError('away');
  };

  it('has nobody count wallets in a way that was not kept', async () => {
    await guild.member(1, 2_500);
    await also('1', 2, 2_500);
    guild.store.gating.putSettings = away;
    await expect(setMode('sum')).rejects.toThrow('away');
    expect(cardText(await say('1', 'rep'))).not.toContain(texts.rep.sumOf('2'));
  });

  it('has no moderator read a setting that nobody knows', async () => {
    guild.store.gating.settingsOf = away;
    const said = cardText(await say('9', 'gate', { action: 'wallets' }));
    expect(said).not.toContain(gate.walletsBest);
    expect(said).toContain(texts.errors.unavailable(5));
  });
});

describe('What people read', () => {
  const TOP: readonly Requirement[] = [{ kind: 'top', most: 3 }];

  beforeEach(async () => {
    await guild.rule({ requirements: [{ kind: 'tier', tier: 'Titan' }] });
    await guild.rule({ grant: '901', requirements: TOP });
    await guild.member(1, 2_500);
    await also('1', 2, 3_700);
    for (const [id, score] of [7_000, 6_500, 6_201, 6_000].entries()) {
      guild.score(100 + id, score);
    }
  });

  it('agrees in /access and /rep, by the sum', async () => {
    await setMode('sum');
    const access = cardText(await say('1', 'access'));
    expect(access).toContain(words.sumOfWallets);
    expect(access).not.toContain(words.oneWallet);
    expect(access).toContain(words.missing(texts.rep.toNext(2_800, '2,800', 'Titan')));
    // After the one that a source needs at the top, and the three above.
    expect(access).toContain(words.missing(words.rank('5', '3')));
    const rep = await say('1', 'rep');
    expect(rep).toMatchObject({ tone: 'Whale', title: 'Whale' });
    const text = cardText(rep);
    expect(text).toContain(texts.rep.sumOf('2'));
    expect(text).toContain('6,200');
    expect(text).toContain(texts.rep.rankOf('5', '7'));
    expect(text).toContain(texts.rep.toNext(2_800, '2,800', ''));
    expect(text).toContain(walletOf(1).address);
    guild.score(2, 3_702);
    expect(cardText(await say('1', 'access'))).toContain(words.missing(words.rank('4', '3')));
  });

  it('agrees in /access and /rep, by the best wallet', async () => {
    const access = cardText(await say('1', 'access'));
    expect(access).toContain(words.oneWallet);
    expect(access).not.toContain(words.sumOfWallets);
    expect(access).toContain(words.missing(texts.rep.toNext(5_300, '5,300', 'Titan')));
    const rep = await say('1', 'rep');
    expect(rep).toMatchObject({ tone: 'Shark', title: texts.rep.titleOf('2') });
    expect(cardText(rep)).not.toContain('6,200');
  });

  it('is points to the last of the top N where the source does not tell ranks of sums', async () => {
    await setMode('sum');
    const reading = guild.source.reading.bind(guild.source);
    guild.source.reading = () => {
      const fixed = reading();
      fixed.countFrom = () => {
        throw new UserError('route-not-found', 'The upstream does not count scores.');
      };
      return fixed;
    };
    const missing = words.missing(words.toTop(300, '300', '3'));
    expect(cardText(await say('1', 'access'))).toContain(missing);
    expect(cardText(await say('1', 'rep'))).not.toContain(texts.rep.rankOf('5', '7'));
    guild.score(2, 4_001);
    await guild.pass();
    expect(guild.adapter.holders('901')).toEqual(['1']);
    expect(guild.adapter.holders(ROLE)).toEqual([]);
  });

  it('is said, changed and listed by /gate', async () => {
    const said = cardText(await say('9', 'gate', { action: 'wallets' }));
    expect(said).toContain(gate.walletsBest);
    const changed = cardText(await say('9', 'gate', { action: 'wallets', count: 'sum' }));
    expect(changed).toContain(gate.walletsSum);
    expect(changed).toContain(gate.walletsNext);
    expect(changed).toContain(gate.walletsLinkedRoles);
    expect(cardText(await say('9', 'gate', { action: 'wallets', count: 'sum' }))).not.toContain(
      gate.walletsNext,
    );
    expect(cardText(await say('9', 'gate', { action: 'list' }))).toContain(gate.walletsSum);
    expect(cardText(await say('9', 'gate', { action: 'log' }))).toContain(gate.walletModes.sum);
    const back = cardText(await say('9', 'gate', { action: 'wallets', count: 'best' }));
    expect(back).toContain(gate.walletsEnded);
    expect(cardText(await say('9', 'gate', { action: 'list' }))).not.toContain(gate.walletsSum);
  });
});
