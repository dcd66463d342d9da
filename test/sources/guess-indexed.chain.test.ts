import { toEventSelector } from 'viem';
import { expect, it } from 'vitest';
import { parseSolidityEvent } from '#scoring/signature';
import { guessIndexed } from '#sources/evm/contract/sample-contract';
import { word } from '../support/evm-chain.ts';
import { A, B } from '../support/evm-reading.ts';

const TOPIC = toEventSelector('Moved(address,uint256,address)');
const EVENT = parseSolidityEvent('Moved(address from, uint256 id, address indexed to)');
const [a, b] = [word(A), word(B)];

it('The guess finds in logs which arguments a contract indexes', () => {
  const both = [{ topics: [TOPIC, `0x${a}`, `0x${b}`], data: `0x${word(7)}` }];
  expect(guessIndexed(EVENT, both)).toEqual({ isIndexed: ['from'], isPlain: [] });
  const none = [{ topics: [TOPIC], data: `0x${a}${word(7)}${b}` }];
  expect(guessIndexed(EVENT, none)).toEqual({ isIndexed: [], isPlain: ['to'] });
  // Too small for an address, so it's the number.
  const small = [{ topics: [TOPIC, `0x${word(7)}`], data: `0x${a}${b}` }];
  expect(guessIndexed(EVENT, small)).toEqual({ isIndexed: ['id'], isPlain: ['to'] });
  // Too large for an address, so it's the number.
  const large = word(2n ** 200n);
  const other = [{ topics: [TOPIC, `0x${large}`], data: `0x${a}${b}` }];
  expect(guessIndexed(EVENT, other)).toEqual({ isIndexed: ['id'], isPlain: ['to'] });
});

it('The guess finds nothing where no choice fits all logs', () => {
  const one = { topics: [TOPIC], data: `0x${a}${word(7)}${b}` };
  expect(guessIndexed(EVENT, [one, { topics: [TOPIC, `0x${a}`], data: '0x' }])).toBeUndefined();
});
