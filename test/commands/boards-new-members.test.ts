import { beforeEach, describe, expect, it } from 'vitest';
import { type CommunityGating, createBoards, tellingBoards } from '#app/members/gating';
import type { WalletLinking } from '#app/members/linking';
import { textsFor } from '#command/texts/index';
import type { MemberBoards } from '#gating/boards/member-boards';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GUILD } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { linkingWith } from '../support/linking.ts';

/* Who has just linked a wallet, in a community that has no rule yet. */

let guild: GatedCommunity;
let gated: CommunityGating;
let linking: WalletLinking;
let boards: MemberBoards;
/** Whether this process gets round to who has just been seen, before the answer. */
let isIdle = true;

beforeEach(() => {
  isIdle = true;
  guild = new GatedCommunity(GUILD);
  const { store, source } = guild;
  source.scores.set(walletOf(5).address, 900);
  linking = linkingWith({
    store: store.links,
    clock: () => guild.now * 1000,
    onChange: (account) => boards.changed(account),
  });
  boards = createBoards({
    ...{ store: store.gating, adapterOf: () => guild.adapter, monotonic: () => 0 },
    shownAmong: (...asked) => linking.shownAmong(...asked),
  });
  gated = guild.open({ store: tellingBoards(store.gating, () => boards) });
  guild.adapter.join('5');
});

const callerOf = (id: string) => ({ platform: GUILD.platform, id, community: GUILD.id });

async function says(
  account: string,
  command: string,
  args: Record<string, string> = {},
): Promise<string> {
  const answerer = answererWith({
    ...{ source: guild.source, gating: gated.gating, boards },
    linksOf: (caller) => linking.of(caller),
    onSeen: (caller) => {
      if (isIdle) gated.watch.seen(caller);
    },
    clock: () => guild.now * 1000,
  });
  const caller = callerOf(account);
  const call = { command, args };
  return cardText(await answerer.answer({ call, caller, locale: 'en', isModerator: () => true }));
}

const board = (account: string) => says(account, 'top', { board: 'here' });

async function link(): Promise<void> {
  await guild.link('5', walletOf(5));
  boards.changed({ platform: GUILD.platform, id: '5' });
}

describe('A member who has linked a wallet', () => {
  it('is on the board that others ask for a moment later, also if they used a command before', async () => {
    await says('5', 'help');
    await gated.watch.idle();
    await link();
    expect(await board('1')).not.toContain('@5');
    await says('5', 'privacy', { choice: 'community' });
    await gated.watch.idle();
    expect(await board('1')).toContain('@5');
  });

  it('is on the board that they ask for as the first that they do there', async () => {
    isIdle = false;
    await link();
    await linking.of(callerOf('5')).choose('public');
    expect(await board('5')).toContain('@5');
  });

  it('is told that they are on the board if they ask for their place as the first that they do there', async () => {
    isIdle = false;
    await link();
    await linking.of(callerOf('5')).choose('public');
    const { top, points } = textsFor('en');
    const own = top.meShown('1', '1', points(900, '900'));
    expect(await says('5', 'top', { board: 'me' })).toContain(own);
  });

  it('has a wallet in /gate why, also if nobody has looked at them since', async () => {
    const { gate } = textsFor('en');
    guild.adapter.join('6');
    await link();
    expect(await says('1', 'gate', { action: 'why', member: '6' })).toContain(gate.whyNoWallet);
    expect(await says('1', 'gate', { action: 'why', member: '5' })).toContain(gate.hiddenWallets);
    expect(await guild.store.gating.member(GUILD, '6')).toBeUndefined();
  });
});

it('More new members than a page of them are read together, not one by one', async () => {
  const { gating } = guild.store;
  let reads = 0;
  const member: typeof gating.member = (...asked) => {
    reads += 1;
    return gating.member(...asked);
  };
  boards = createBoards({
    ...{ store: { ...gating, member }, adapterOf: () => guild.adapter, monotonic: () => 0 },
    shownAmong: (...asked) => linking.shownAmong(...asked),
  });
  await linking.of(callerOf('5')).choose('public');
  await guild.link('5', walletOf(5));
  await board('1');
  const many = Array.from({ length: 1_500 }, (_, i) => String(10_000 + i));
  await tellingBoards(gating, () => boards).noteMembers(GUILD, [...many, '5']);
  reads = 0;
  expect(await board('1')).toContain('@5');
  expect(reads).toBeLessThan(10);
});
