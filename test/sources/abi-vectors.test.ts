import { expect, it } from 'vitest';
import { parseSolidityEvent } from '#scoring/signature';
import { compileEvent } from '#sources/evm/decode-event';
import { ethereum } from '#wallet/chains/index';
import { suiteOf } from '../support/whole-suite.ts';
import events from './vectors/abi-events.json' with { type: 'json' };
import values from './vectors/abi-values.json' with { type: 'json' };

/* Values as solc wrote them, and what they mean. The sources and licences stand in the files. */

interface EventTest {
  readonly name: string;
  readonly types: readonly string[];
  readonly indexed: readonly (boolean | null)[];
  /** Whether a topic is a hash of the value. */
  readonly hashed: readonly boolean[];
  readonly topics: readonly string[];
  readonly data: string;
  readonly values: readonly unknown[];
}

/** Also of `-0x23`. */
function integerOf(text: string): bigint {
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
}

/** What rules see of a value; undefined for arrays and structs, which they don't use. */
function shownOf(type: string, value: unknown): string | undefined {
  if (/[\])]$/.test(type)) return undefined;
  if (type === 'address') return ethereum.canonical(String(value));
  if (/^u?int/.test(type)) {
    const bits = Number(/\d+$/.exec(type)?.[0] ?? 256);
    // The suite's contracts give negative numbers as unsigned ones, too.
    const wrap = type.startsWith('u') ? BigInt.asUintN : BigInt.asIntN;
    return String(wrap(bits, integerOf(String(value))));
  }
  if (type === 'bool') return String(value);
  return type === 'string' ? String(value) : String(value).toLowerCase();
}

/** Integers may be written as these; others write the whole name. */
const wholeName = (type: string) => type.replace(/^(u?int)(?=\[|$)/, '$1256');

/** Decodes a log by a declaration without names, and gives the values in order. */
function decoded(
  types: readonly string[],
  indexed: readonly (boolean | null)[],
  log: { readonly topics: readonly string[]; readonly data: string },
): readonly (string | undefined)[] | undefined {
  const args = types.map((type, at) => `${type}${indexed[at] === true ? ' indexed' : ''} a${at}`);
  const found = compileEvent(parseSolidityEvent(`Test(${args.join(', ')})`))(log);
  return found && types.map((_, at) => found[`a${at}`]);
}

it('An event of the suite is decoded as it says', () => {
  const all = suiteOf<EventTest>(events.tests, 'contract-events.json.gz');
  expect(all.length).toBeGreaterThanOrEqual(60);
  for (const { name, types, indexed, hashed, topics, data, values: given } of all) {
    // An anonymous event has no topic for its name.
    const count = indexed.filter((each) => each === true).length;
    const isAnonymous = topics.length === count;
    const log = { topics: isAnonymous ? [`0x${'0'.repeat(64)}`, ...topics] : topics, data };
    let topic = topics.length - count;
    const expected = types.map((type, at) => {
      if (indexed[at] !== true) return shownOf(type, given[at]);
      const own = topics[topic++];
      return hashed[at] === true ? own : shownOf(type, given[at]);
    });
    expect([name, decoded(types, indexed, log)]).toEqual([name, expected]);
  }
});

interface ValueTest {
  readonly name: string;
  /** JSON. */
  readonly types: string;
  readonly values: string;
  readonly result: string;
}

/** Lists, and values beside their types, as the suite writes them. */
function plain(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(plain);
  if (typeof given === 'object' && given !== null && 'value' in given) return plain(given.value);
  return given;
}

it('Values of the suite are decoded as it says', () => {
  const all = suiteOf<ValueTest>(values.tests, 'contract-interface.json.gz');
  expect(all.length).toBeGreaterThanOrEqual(50);
  for (const { name, types, values: given, result } of all) {
    const named = (JSON.parse(types) as string[]).map(wholeName);
    const list = plain(JSON.parse(given)) as unknown[];
    const told = decoded(named, [], { topics: [`0x${'0'.repeat(64)}`], data: result });
    expect([name, told]).toEqual([name, named.map((type, at) => shownOf(type, list[at]))]);
  }
});
