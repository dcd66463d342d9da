import fc from 'fast-check';
import { encodeAbiParameters, parseAbiParameters } from 'viem';
import { expect, it } from 'vitest';
import { inputsBySource } from '#core/scoring/reading/input';
import { compileEvent } from '#sources/evm/decode-event';
import { anyString } from '../support/any-string.ts';
import { SEED } from '../support/random.ts';
import { validRules } from '../support/rules.ts';

const TYPES = ['address', 'string', 'uint256', 'int16', 'bool', 'bytes', 'bytes4', 'string'];
const TOPIC = `0x${'11'.repeat(32)}`;

function decoderOf(types: readonly string[]) {
  const args = types.map((type, place) => `${type} a${place}`).join(', ');
  const { rules } = validRules(`fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: seen
    on: {source: eth, contract: 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed, event: "Seen(${args})", since: 1}
    wallet: a0
    give: {type: seen, points: 1}
`);
  const [input] = inputsBySource([rules]).get('eth') ?? [];
  if (input?.kind !== 'evm-event') throw new Error('no event');
  return compileEvent(input.event);
}

const bytes = (size: { readonly minLength?: number; readonly maxLength: number }) =>
  fc.uint8Array(size).map((each): `0x${string}` => `0x${Buffer.from(each).toString('hex')}`);

it('reads what viem has written, texts and bytes of any length included', () => {
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

it('reads nothing from data that ends too soon or points beyond itself', () => {
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
