import type { Signature } from './argument.ts';
import { parseSignature, SignatureFault, type TypeOf } from './parse.ts';

const INTEGER = /^uint(\d+)$/;
const FIXED_POINT = /^ufixed\d+x\d+$/;
/** Arguments that refer to something in the transaction group and have no value of their own. */
const REFERENCES = new Set([
  ...['account', 'asset', 'application'],
  ...['txn', 'pay', 'keyreg', 'acfg', 'axfer', 'afrz', 'appl'],
]);

/**
 * Parses an ARC-28 event: `Vote(address,uint32,uint64)`, with or without names. Source:
 * https://dev.algorand.co/arc-standards/arc-0028/
 * @throws SignatureFault
 */
export function parseArc28Event(text: string): Signature {
  return parseSignature(text, arc4Type, { mayBeIndexed: false, returns: false });
}

/**
 * Parses an ABI method with its return type: `vote(uint64,address)void`. Source:
 * https://dev.algorand.co/arc-standards/arc-0004/
 * @throws SignatureFault
 */
export function parseArc4Method(text: string): Signature {
  return parseSignature(text, arc4Type, { mayBeIndexed: false, returns: true });
}

const arc4Type: TypeOf = (name) => {
  if (name === 'address') return { type: name, kind: 'address', max: undefined, isDynamic: false };
  if (name === 'bool') return { type: name, kind: 'boolean', max: undefined, isDynamic: false };
  if (name === 'string') return { type: name, kind: 'text', max: undefined, isDynamic: true };
  if (name === 'byte') return { type: name, kind: 'integer', max: 255n, isDynamic: false };
  const [, bitsText = ''] = INTEGER.exec(name) ?? [];
  const bits = Number(bitsText);
  if (bits >= 8 && bits <= 512 && bits % 8 === 0 && String(bits) === bitsText) {
    return { type: name, kind: 'integer', max: 2n ** BigInt(bits) - 1n, isDynamic: false };
  }
  if (FIXED_POINT.test(name) || REFERENCES.has(name) || name === 'void') {
    return { type: name, kind: 'composite', max: undefined, isDynamic: false };
  }
  throw new SignatureFault(`there is no type "${name}" in the ABI of Algorand`);
};
