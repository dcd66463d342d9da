import fc from 'fast-check';
import { encodeAbiParameters, parseAbiParameters } from 'viem';
import { expect, it } from 'vitest';
import { inputsBySource } from '#scoring/inputs/input';
import { compileWalletEvent } from '#sources/evm/compile';
import { compileEvent } from '#sources/evm/decode-event';
import { anyString } from '../support/any-string.ts';
import { SEED } from '../support/random.ts';
import { validRules } from '../support/rules.ts';

const TYPES = ['address', 'string', 'uint256', 'int16', 'bool', 'bytes', 'bytes4', 'string'];
const TOPIC = `0x${'11'.repeat(32)}`;

function decoderOf(types: readonly string[]) {
  return compileEvent(eventOf(types.map((type, place) => `${type} a${place}`)));
}

/** @param declared arguments with their names, of which the first one is the wallet */
function eventOf(declared: readonly string[], wallet = 'a0') {
  const args = declared.join(', ');
  const { rules } = validRules(`fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: seen
    on: {source: eth, contract: 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed, event: "Seen(${args})", since: 1}
    wallet: ${wallet}
    give: {type: seen, points: 1}
`);
  const [input] = inputsBySource([rules]).get('eth') ?? [];
  if (input?.kind !== 'evm-event') throw new Error('no event');
  const [event] = input.events;
  if (event === undefined) throw new Error('no event');
  return event;
}

const bytes = (size: { readonly minLength?: number; readonly maxLength: number }) =>
  fc.uint8Array(size).map((each): `0x${string}` => `0x${Buffer.from(each).toString('hex')}`);

it('Decoding an event reads what viem has written, texts and bytes of any length included', () => {
  const decode = decoderOf(TYPES);
  const values = fc.tuple(
    bytes({ minLength: 20, maxLength: 20 }),
    anyString({ maxLength: 100 }),
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    fc.integer({ min: -32_768, max: 32_767 }),
    fc.boolean(),
    bytes({ maxLength: 100 }),
    bytes({ minLength: 4, maxLength: 4 }),
    anyString({ maxLength: 100 }),
  );
  const parameters = parseAbiParameters(TYPES.join(', '));
  fc.assert(
    fc.property(values, (given) => {
      const args = decode({ topics: [TOPIC], data: encodeAbiParameters(parameters, given) });
      expect(Object.values({ ...args, a0: args?.a0?.toLowerCase() })).toEqual(
        given.map((each) => (typeof each === 'string' ? each.toWellFormed() : String(each))),
      );
    }),
    { seed: SEED, numRuns: 50 },
  );
});

it('Decoding an event keeps arguments as the same JSON text as an object with their names would have', () => {
  const declared = [
    'string text',
    'uint256',
    'address who',
    'uint64 __proto__',
    'bytes32',
    'int8 low',
  ];
  const event = eventOf([...declared, 'uint256[] list', 'bytes data'], 'who');
  const [decode, named] = [compileWalletEvent(event, 'who'), compileEvent(event)];
  const parameters = parseAbiParameters(
    'string, uint256, address, uint64, bytes32, int8, uint256[], bytes',
  );
  const who = bytes({ minLength: 20, maxLength: 20 });
  const values = fc.tuple(
    ...[anyString({ maxLength: 50 }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), who],
    ...[fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), bytes({ minLength: 32, maxLength: 32 })],
    ...[fc.integer({ min: -128, max: 127 }), fc.constant([1n]), bytes({ maxLength: 9 })],
  );
  fc.assert(
    fc.property(values, (given) => {
      const log = { topics: [TOPIC], data: encodeAbiParameters(parameters, given as never) };
      const args = named(log);
      expect(decode(log)).toEqual({ address: args?.who, args: JSON.stringify(args) });
    }),
    { seed: SEED, numRuns: 50 },
  );
  const log = {
    topics: [TOPIC],
    data: encodeAbiParameters(parameters, [
      '"\n',
      7n,
      `0x${'22'.repeat(20)}`,
      2n ** 52n,
      `0x${'33'.repeat(32)}`,
      -1,
      [],
      '0x',
    ]),
  };
  expect(decode(log)?.args).toBe(
    `{"1":"7","4":"0x${'33'.repeat(32)}","text":"\\"\\n","who":"0x2222222222222222222222222222222222222222","__proto__":"4503599627370496","low":"-1","data":"0x"}`,
  );
});

it('Decoding an event reads numbers of every size', () => {
  const decode = decoderOf(['address', 'uint256', 'int256']);
  for (const bits of [0n, 1n, 31n, 32n, 51n, 52n, 53n, 54n, 64n, 255n, 256n]) {
    for (const value of [2n ** bits - 1n, 2n ** bits].filter((each) => each < 2n ** 256n)) {
      const word = value.toString(16).padStart(64, '0');
      const args = decode({ topics: [TOPIC], data: `0x${'0'.repeat(64)}${word}${word}` });
      expect([args?.a1, args?.a2]).toEqual([value, BigInt.asIntN(256, value)].map(String));
    }
  }
});

it('Decoding an event reads nothing from data that ends too soon or points beyond itself', () => {
  const decode = decoderOf(['address', 'string']);
  const whole = encodeAbiParameters(parseAbiParameters('address, string'), [
    `0x${'22'.repeat(20)}`,
    'hello',
  ]);
  expect(decode({ topics: [TOPIC], data: whole })).toMatchObject({ a1: 'hello' });
  for (let cut = 2; cut < whole.length - 54; cut += 2) {
    expect(decode({ topics: [TOPIC], data: whole.slice(0, cut) })).toBeUndefined();
  }
  const words = whole.slice(2).match(/.{64}/g) ?? [];
  for (const place of [1, 2]) {
    for (const word of ['f'.repeat(64), '7fffffff'.padStart(64, '0')]) {
      const data = `0x${words.map((each, at) => (at === place ? word : each)).join('')}`;
      expect(decode({ topics: [TOPIC], data })).toBeUndefined();
    }
  }
});
