import { describe, expect, it } from 'vitest';
import { withVerifiedNames } from '#names/named-source';
import { canStandAlone, NO_NAMES, skeletonOf, type VerifiedNames } from '#names/verified-names';
import { shortAddress, type Wallet } from '#wallet/wallet';
import { FixedSource } from '../support/fixed-source.ts';
import { addressOf } from '../support/import-lines.ts';

const [A, B, C] = [1, 2, 3].map((number) => addressOf('ethereum', number)) as [
  string,
  string,
  string,
];
const wallet = (address: string): Wallet => ({ chain: 'ethereum', address });

function sourceWith(
  kept: Readonly<Record<string, string>>,
  holders: Readonly<Record<string, string>> = {},
  name = 'nemo',
) {
  const source = new FixedSource([
    { chain: 'ethereum', address: A, name, score: 30 },
    { chain: 'ethereum', address: B, score: 20 },
    { chain: 'ethereum', address: C, score: 10 },
  ]);
  const names: VerifiedNames = {
    ...NO_NAMES,
    nameOf: (address) => kept[address],
    isAnothers: (own, address) => (holders[own] ?? address) !== address,
    hasForm: (text) => /^\S+\.\p{L}{2,}$/u.test(text),
    skeletonOf,
  };
  return withVerifiedNames(source, names);
}

const shown = async (source: ReturnType<typeof sourceWith>) => {
  const reading = source.reading();
  const { leaderboard } = await reading.leaderboard({ chain: 'all', limit: 10, offset: 0 });
  return leaderboard.map(({ displayName }) => displayName);
};

describe('the name shown for a wallet', () => {
  it("is the community's own, then the verified one, then the short address", async () => {
    const source = sourceWith({ [A]: 'a.eth', [B]: 'b.eth' });
    expect(await shown(source)).toEqual(['nemo', 'b.eth', shortAddress(C)]);
    const named = [A, B, C].map((address) => source.reading().nameOf(wallet(address)));
    expect(await Promise.all(named)).toEqual(['nemo', 'b.eth', undefined]);
  });

  it('stands in a table only if it cannot pass for another name', async () => {
    const source = sourceWith({ [B]: 'vitälik.eth', [C]: 'alice.eth.mallory.eth' });
    expect(await shown(source)).toEqual(['nemo', shortAddress(B), shortAddress(C)]);
    expect(await source.reading().nameOf(wallet(B))).toBe('vitälik.eth');
  });

  it("isn't the community's own in a table once that is known to be another wallet's", async () => {
    const source = sourceWith({}, { nemo: B });
    expect(await shown(source)).toEqual([shortAddress(A), shortAddress(B), shortAddress(C)]);
    const reading = source.reading();
    await reading.leaderboard({ chain: 'all', limit: 10, offset: 0 });
    expect(reading.revision).not.toBe('fixed');
    // There its address is beside it.
    expect(await reading.nameOf(wallet(A))).toBe('nemo');
  });

  it.each([
    'аlice.eth',
    'alice.еth',
    'alicе.xyz',
    'ALICE\u200d.eth',
    'a1ice.eth',
    'alice.eth.mallory.eth',
    'vitaIik.eth',
    'alice.soI',
    'aIice.aIgo',
    'RNetamask.eth',
    'alice.s0l',
    ...['\u2024', '\u3002', '\uff0e', '\uff61', '\u00b7', '\u2027', '\u0660', '\u0701'].map(
      (dot) => `vitalik${dot}eth`,
    ),
    // What ends a sentence in Arabic, Ethiopic, Burmese and Mongolian, and dots that the table leads to others.
    ...[
      '\u06d4',
      '\u1362',
      '\u104a',
      '\u1803',
      '\u16eb',
      '\u1427',
      '\u2981',
      '\u{10101}',
      '\u02d9',
    ].map((dot) => `vitalik${dot}eth`),
    'vitalik.\u212fth',
    '\u{1d42f}italik.eth',
    'vi\u00adtalik.eth',
    // Among other characters, with marks, and with digits that stand for letters.
    'vitalik,eth',
    'vitalik\u201aeth',
    'vitalik.eth ✓',
    'vitalik.eth✅',
    'vitalik.eth (verified)',
    'the real vitalik.eth',
    'vitalik .eth',
    'vitalik. .eth',
    'vitalik.eth.xyz',
    'vitalik.eťh',
    'vitalik.e\u0323th',
    'alice.ƨol',
    'alice.5ol',
    'alice.so1',
    'alice.soł',
    'alice.a1g0',
    'vitalik.e7h',
    // With a sign in place of a letter, letters in frames and small capitals, and something behind.
    'vitalik.ɘth',
    'vitalik.e†h',
    'alice.s⚪l',
    'vitalik.🅴🆃🅷',
    'vitalik.ᴇᴛʜ',
    'vitalik.eth™',
    'vitalik.eth²',
    'vitalik.eth|DAO',
    // With bullets, shapes, Braille, commas and marks for the dot, or spaces around it.
    ...['🔹', '●', '▪', '\u2804', '\u3001', '\u066c', '\u0307', '\u0323', '\u05c5'].map(
      (dot) => `vitalik${dot}eth`,
    ),
    'vitalik\u3000.\u3000eth',
    'vitalik.eth-2',
    'vitalik.eth-official',
    'team.eth-lovers',
    'vitalik.eth - the real one',
    'vitálik.eth',
    'Vitálik.eth',
    'Vitálik.Eťh',
    'Vitálı\u200dk.Eth',
    'Áricе.Eth',
    'Álice.S0l',
  ])("isn't the community's own in a table if it could pass for another name: %s", async (name) => {
    const reading = sourceWith({}, {}, name).reading();
    const { leaderboard } = await reading.leaderboard({ chain: 'all', limit: 1, offset: 0 });
    expect(leaderboard[0]?.displayName).toBe(shortAddress(A));
    expect(await reading.nameOf(wallet(A))).toBe(name);
  });

  it.each([
    'Alice.eth',
    'Bob.SOL',
    'IOI',
    'Ольга',
    'Mr. Smith',
    'Dr.Smith',
    '11ama',
    'сова 12.5',
    'v2.501',
    'St. Sol',
    'Nguyễn Thị Ánh',
    'Jiří.K',
    'J. R. R. Tolkien',
    'ethel.m',
    'a, sol y sombra',
    'Marisol',
    'alice_eth',
    'seth.ethan',
    'Ms. Éthel ✨',
    'no.5',
    'team:eth',
    'Mike.eth',
    "Levi's.501",
    'Ana 🇪🇸',
    'sẹth',
    'Lê Đức·Anh',
    'gm. eth to the moon',
    'José.Sol',
    'Zoë.Eth',
  ])(
    "is the community's own in a table if it has no such form, or nothing to confuse: %s",
    async (name) => expect((await shown(sourceWith({}, {}, name)))[0]).toBe(name),
  );

  it('is part of the revision, which is otherwise that of the data', async () => {
    const revisionWith = async (kept: Readonly<Record<string, string>>) => {
      const reading = sourceWith(kept).reading();
      await reading.leaderboard({ chain: 'all', limit: 10, offset: 0 });
      return reading.revision;
    };
    expect(await revisionWith({})).toBe('fixed');
    expect(await revisionWith({ [A]: 'a.eth' })).toBe('fixed');
    const first = await revisionWith({ [B]: 'b.eth' });
    expect(first).toMatch(/^fixed-/);
    expect(await revisionWith({ [B]: 'b.eth' })).toBe(first);
    expect(await revisionWith({ [B]: 'c.eth' })).not.toBe(first);
    expect(await revisionWith({ [C]: 'b.eth' })).not.toBe(first);
  });
});

describe('a name that can stand alone', () => {
  it.each([
    'alice.eth',
    'alice-2.sol',
    'web3_dao.algo',
    '0xmaki.eth',
    '101.eth',
    'pay.alice.eth',
    'base10.eth',
    'punk1001.eth',
    'club21.eth',
  ])('%s', (name) => {
    expect(canStandAlone(name)).toBe(true);
  });

  it.each([
    ['a digit for a letter', 'vita1ik.eth'],
    ['a zero for an o', 'g0ld.eth'],
    ['several digits for letters', 'g00gle.eth'],
    ['several digits for letters at its start', '11ama.eth'],
    ['several digits for letters at its end', 'yah00.eth'],
    ['different digits for letters', 'me10dy.eth'],
    ['no ending', 'admin'],
    ['r and n for an m', 'rnetamask.eth'],
    ['two v for a w', 'vvhale.eth'],
    ['an ending within', 'alice.eth.me.eth'],
    ['Cyrillic', 'аррle.eth'],
    ['an accent', 'vitálik.eth'],
    ['emoji', '🦊.eth'],
    ['an invisible sign', 'ali\u200dce.eth'],
    ['right to left', 'אבג.eth'],
    ['capitals', 'ALICE.eth'],
    ['more than a table shows', 'alice.eth.mallory.eth'],
    ['nothing', ''],
  ])('is none with %s', (_, name) => {
    expect(canStandAlone(name)).toBe(false);
  });
});
