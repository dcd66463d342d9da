import { beforeEach, describe, expect, it } from 'vitest';
import { createBoards } from '#app/members/gating';
import type { WalletLinking } from '#app/members/linking';
import { RetryableError } from '#base/errors';
import type { Card } from '#command/cards/card';
import { LANGUAGES, textsFor } from '#command/texts/index';
import type { MemberBoards } from '#gating/boards/member-boards';
import type { Community } from '#gating/rules/rule';
import type { Privacy } from '#linking/link-records';
import type { ReputationSource } from '#reputation/reputation-source';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { NOW } from '../support/fixed-source.ts';
import { GatedCommunity, GROUP, GUILD, MODERATOR } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { activityOf, batchOf, ETH_A, writeTo } from '../support/ledger.ts';
import { linkingWith } from '../support/linking.ts';

let guild: GatedCommunity;
let linking: WalletLinking;
let boards: MemberBoards;
/** Milliseconds. */
let monotonic = 0;

beforeEach(() => open(GUILD));

function open(community: Community): void {
  guild = new GatedCommunity(community);
  const { store } = guild;
  linking = linkingWith({
    store: store.links,
    clock: () => guild.now * 1000,
    onChange: (account) => boards.changed(account),
  });
  boards = createBoards({
    store: store.gating,
    adapterOf: () => guild.adapter,
    shownAmong: (...asked) => linking.shownAmong(...asked),
    monotonic: () => monotonic,
  });
}

const callerOf = (id: string) => {
  const { platform, id: community } = guild.community;
  return { platform, id, community };
};

async function top(
  account: string,
  args: Record<string, string> = { board: 'here' },
  locale = 'en',
): Promise<Card> {
  const answerer = answererWith({
    ...{ source: guild.source, gating: guild.gated.gating, boards },
    linksOf: (caller) => linking.of(caller),
    clock: () => guild.now * 1000,
  });
  return await answerer.answer({
    call: { command: 'top', args },
    caller: callerOf(account),
    locale,
  });
}

/** Members with a linked wallet each, who choose this. */
async function members(privacy: Privacy, ...scores: readonly number[]): Promise<string[]> {
  const accounts: string[] = [];
  for (const score of scores) {
    const id = 4_000 + guild.source.scores.size;
    const account = await guild.member(id, score);
    await linking.of(callerOf(account)).choose(privacy);
    accounts.push(account);
  }
  return accounts;
}

describe.each(LANGUAGES)('The board of members in %s', (language) => {
  it('has places, ties and medals as the one of wallets', async () => {
    const shown: string[] = [];
    const say = async (account: string, args?: Record<string, string>) =>
      shown.push(cardText(await top(account, args, language)));
    await guild.rule();
    await say('1');
    const [best = '', ...others] = await members('public', 9_500, 5_200, 5_200, 700);
    await members('community', ...Array.from({ length: 9 }, (_, i) => 100 + i));
    const [hidden = ''] = await members('hidden', 6_000);
    await say(best);
    await say(others[2] ?? '', { board: 'here', page: '2' });
    await say(hidden, { board: 'me' });
    await say(best, { board: 'me' });
    await say('1', { board: 'me' });
    await say(best, { board: 'here', chain: 'solana' });
    await expect(shown.join('\n')).toMatchFileSnapshot(`golden/board-here.${language}.txt`);
  });
});

describe('The board of members', () => {
  it('tells a member who hides their place alone, and shows nobody a gap', async () => {
    await guild.rule();
    const [first = '', second = ''] = await members('community', 3_000, 1_000);
    const [hidden = ''] = await members('hidden', 2_000);
    const board = await top(hidden);
    expect(board.private).toBe(false);
    expect(cardText(board)).not.toContain(hidden);
    expect(cardText(board)).toMatch(new RegExp(`🥇 .*${first}[\\s\\S]*🥈 .*${second}`));
    const own = await top(hidden, { board: 'me' });
    expect(own.private).toBe(true);
    expect(cardText(own)).toContain(textsFor('en').top.meHidden('2', '3', '2,000 points'));
  });

  it('takes the best of several wallets, and only those of a chain', async () => {
    await guild.rule();
    const [account = ''] = await members('public', 900);
    const other = {
      chain: 'solana',
      address: 'So11111111111111111111111111111111111111112',
    } as const;
    guild.source.scores.set(other.address, 2_500);
    await guild.link(account, other);
    boards.changed({ platform: GUILD.platform, id: account });
    expect(cardText(await top('1'))).toContain('2,500');
    expect(cardText(await top('1', { board: 'here', chain: 'eth' }))).toContain('900');
  });

  it('adds wallets up where moderators chose that, as /rep does', async () => {
    await guild.rule();
    const [first = '', second = ''] = await members('public', 900, 1_200);
    const other = {
      chain: 'solana',
      address: 'So11111111111111111111111111111111111111112',
    } as const;
    guild.source.scores.set(other.address, 800);
    await guild.link(first, other);
    boards.changed({ platform: GUILD.platform, id: first });
    expect(cardText(await top('1'))).toMatch(new RegExp(`🥇 .*${second}`));
    await guild.gated.gating.choices.setWalletMode(GUILD, 'sum', MODERATOR);
    expect(cardText(await top('1'))).toMatch(new RegExp(`🥇 .*${first}.*1,700`));
  });

  it('is ranked once for all who ask, and reads only those again who change something', async () => {
    await guild.rule();
    const shown = await members('public', ...Array.from({ length: 12 }, (_, i) => 900 + i));
    const [last = ''] = shown;
    let reads = 0;
    guild.source.before = () => {
      reads += 1;
    };
    await top('1');
    expect(reads).toBe(shown.length);
    for (const account of [last, '1', last]) await top(account);
    expect(cardText(await top(last))).toContain(`▸ @${last}: rank 12, 900 points`);
    expect(reads).toBe(shown.length);
    await linking.of(callerOf(last)).choose('hidden');
    expect(cardText(await top('1'))).toContain('11 members');
    expect(reads).toBe(shown.length);
    await linking.of(callerOf(last)).choose('public');
    expect(cardText(await top('1'))).toContain('12 members');
    expect(reads).toBe(shown.length + 1);
    monotonic += 61_000;
    await top('1');
    expect(reads).toBe(2 * shown.length + 1);
  });

  it('shows new scores with the next revision', async () => {
    await guild.rule();
    const [account = ''] = await members('public', 900);
    expect(cardText(await top('1'))).toContain('900');
    guild.score(Number(account), 950);
    expect(cardText(await top('1'))).toContain('950');
  });

  it('asks the platform who is still there, where no passes do', async () => {
    const [first = '', second = ''] = await members('public', 900, 800);
    expect(cardText(await top('1'))).toContain(textsFor('en').top.partlyKnown);
    guild.adapter.roles.delete(first);
    const text = cardText(await top('1'));
    expect(text).not.toContain(first);
    expect(text).toMatch(new RegExp(`🥇 .*${second}`));
    expect(await guild.store.gating.member(GUILD, first)).toBeUndefined();
  });

  it('asks it within a minute where passes do, too, as these may take hours to ask about everybody', async () => {
    await guild.rule();
    const [first = '', second = ''] = await members('public', 900, 800);
    const asked: string[] = [];
    const member = guild.adapter.member.bind(guild.adapter);
    guild.adapter.member = async (...which) => {
      asked.push(which[1]);
      return await member(...which);
    };
    await top('1');
    await top('1');
    expect(asked.length).toBe(2);
    guild.adapter.roles.delete(first);
    monotonic += 61_000;
    const text = cardText(await top('1'));
    expect(text).not.toContain(first);
    expect(text).toMatch(new RegExp(`🥇 .*${second}`));
  });

  it('says of how many nobody answers whether they are still there', async () => {
    const [first = '', second = ''] = await members('public', 900, 800);
    const member = guild.adapter.member.bind(guild.adapter);
    guild.adapter.member = async (...which) => {
      if (which[1] === first) throw new RetryableError('away');
      return await member(...which);
    };
    const text = cardText(await top('1'));
    expect(text).not.toContain(first);
    expect(text).toMatch(new RegExp(`🥈 .*${second}`));
    expect(text).toContain(textsFor('en').top.unsure(1, '1'));
    expect(text).not.toContain(textsFor('en').top.needsAdmin);
    await linking.of(callerOf(first)).choose('hidden');
    const after = cardText(await top('1'));
    expect(after).not.toContain(textsFor('en').top.unsure(1, '1'));
  });

  it('doesn’t pass for empty where nobody answers who is a member', async () => {
    const { top: words } = textsFor('en');
    open(GROUP);
    expect(cardText(await top('1'))).toContain(words.hereNone);
    guild.adapter.member = () => Promise.reject(new RetryableError('hidden'));
    for (const args of [{ board: 'here' }, { board: 'here', chain: 'eth' }]) {
      const text = cardText(await top('1', args));
      expect(text).toContain(words.hereUnknown);
      expect(text).toContain(words.needsAdmin);
      expect(text).not.toContain(words.hereNone);
      expect(text).not.toContain(words.members(0, '0'));
    }
    // Their wallet is known, and how many others there are isn't.
    const [alone = ''] = await members('hidden', 900);
    const own = cardText(await top(alone, { board: 'me' }));
    expect(own).toContain(words.hereUnknown);
    expect(own).not.toContain(words.meHidden('1', '1', '900 points'));
  });

  it('says what may help where Telegram answers about nobody', async () => {
    open(GROUP);
    await members('public', 900);
    guild.adapter.member = () => Promise.reject(new RetryableError('away'));
    expect(cardText(await top('1'))).toContain(textsFor('en').top.needsAdmin);
  });

  it.each([true, false])(
    'shows nobody who hides while it is asked (rules: %s)',
    async (hasRules) => {
      if (hasRules) await guild.rule();
      const [first = '', second = ''] = await members('public', 900, 800);
      const member = guild.adapter.member.bind(guild.adapter);
      guild.adapter.member = async (...which) => {
        guild.adapter.member = member;
        await linking.of(callerOf(first)).choose('hidden');
        return await member(...which);
      };
      const text = cardText(await top('1'));
      expect(text).not.toContain(first);
      expect(text).toMatch(new RegExp(`🥇 .*${second}`));
    },
  );

  it('says nothing of the place of whoever asks and hides meanwhile', async () => {
    await guild.rule();
    const [asker = ''] = await members('public', 1, ...Array.from({ length: 10 }, () => 900));
    expect(cardText(await top(asker))).toContain(asker);
    monotonic += 60_001;
    const member = guild.adapter.member.bind(guild.adapter);
    guild.adapter.member = async (...which) => {
      guild.adapter.member = member;
      await linking.of(callerOf(asker)).choose('hidden');
      return await member(...which);
    };
    expect(cardText(await top(asker))).not.toContain(asker);
  });

  it('belongs to a community, and to no wallet', async () => {
    const answerer = answererWith({ boards });
    const caller = { platform: 'discord', id: '1' } as const;
    for (const board of ['here', 'me']) {
      const call = { command: 'top', args: { board } };
      const card = await answerer.answer({ call, caller, locale: 'en' });
      expect(cardText(card)).toContain(textsFor('en').gateErrors['gate-not-here']);
    }
    const [account = ''] = await members('public', 900);
    const { address } = walletOf(Number(account));
    expect(cardText(await top('1', { board: 'here', wallet: address }))).toContain(
      textsFor('en').top.notBoth,
    );
  });
});

describe.each(LANGUAGES)('Boards by period in %s', (language) => {
  it('rank by what was gained, everywhere and here', async () => {
    const { store } = guild;
    await guild.rule();
    const day = (days: number) => NOW - days * 86_400;
    const [first = '', second = '', hidden = ''] = await Promise.all(
      [5_001, 5_002, 5_003].map((id) => guild.member(id, 0)),
    );
    for (const account of [first, second]) await linking.of(callerOf(account)).choose('public');
    const wallet = (account: string) => walletOf(Number(account));
    const batch = batchOf({
      names: [{ wallet: ETH_A, displayName: 'A very long name of a wallet, too long for a phone' }],
      activities: [
        activityOf(ETH_A, 'a', { points: 900, timestamp: day(1) }),
        activityOf(wallet(first), 'a', { points: 200, timestamp: day(1) }),
        activityOf(wallet(first), 'b', { points: 8_000, timestamp: day(100) }),
        activityOf(wallet(second), 'a', { points: 500, timestamp: day(20) }),
        activityOf(wallet(hidden), 'a', { points: 700, timestamp: day(0) }),
      ],
    });
    const source = await store.openSource(undefined, { now: () => NOW, monotonic: () => 0 });
    await writeTo(store, batch);
    await store.refresh();
    const answerer = answererWith({
      ...{ source, gating: guild.gated.gating, boards },
      linksOf: (caller) => linking.of(caller),
    });
    const say = async (args: Record<string, string>, account = first) => {
      const call = { command: 'top', args };
      const caller = callerOf(account);
      return cardText(await answerer.answer({ call, caller, locale: language })).replaceAll(
        /<clock [^>]*>/g,
        '<clock>',
      );
    };
    const shown = [
      await say({ period: '7d' }),
      await say({ period: '30d', page: '9' }),
      await say({ period: '90d', chain: 'sol' }),
      await say({ period: '7d', board: 'here' }),
      await say({ period: '30d', board: 'here' }),
      await say({ period: '30d', board: 'me' }, hidden),
    ];
    await expect(shown.join('\n')).toMatchFileSnapshot(`golden/board-period.${language}.txt`);
    await store.close();
  });

  it('are ranked once for all who ask, also for their own place', async () => {
    await guild.rule();
    const accounts = await members('public', 900, 800, 700);
    const { store } = guild;
    const source = await store.openSource(undefined, { now: () => NOW, monotonic: () => 0 });
    await writeTo(
      store,
      batchOf({
        activities: accounts.map((account, i) =>
          activityOf(walletOf(Number(account)), 'a', { points: 10 + i, timestamp: NOW - 86_400 }),
        ),
      }),
    );
    await store.refresh();
    const asked: number[] = [];
    const counting: ReputationSource = {
      ...source,
      reading(urgency) {
        const reading = source.reading(urgency);
        const gains = reading.gains?.bind(reading);
        return Object.assign(reading, {
          gains:
            gains &&
            ((...of: Parameters<typeof gains>) => {
              asked.push(of[0].length);
              return gains(...of);
            }),
        });
      },
    };
    const answerer = answererWith({
      ...{ source: counting, gating: guild.gated.gating, boards },
      linksOf: (caller) => linking.of(caller),
    });
    const [account = ''] = accounts;
    for (const board of ['here', 'me', 'here', 'me']) {
      const call = { command: 'top', args: { board, period: '7d' } };
      const card = await answerer.answer({ call, caller: callerOf(account), locale: language });
      expect(card.tone).toBe('plain');
    }
    expect(asked).toEqual([3, 1, 1]);
    await store.close();
  });

  it('say so where the source can’t tell', async () => {
    const shown = [
      cardText(await top('1', { period: '30d' }, language)),
      cardText(
        await top(
          (await members('public', 900))[0] ?? '',
          { period: '30d', board: 'here' },
          language,
        ),
      ),
    ];
    await expect(shown.join('\n')).toMatchFileSnapshot(`golden/board-untold.${language}.txt`);
  });
});
