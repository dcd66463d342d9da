import {
  parseSignature,
  type Signature,
  SignatureFault,
  type SignatureOptions,
  type TypeOf,
} from './parse.ts';

const INTEGER = /^uint(\d+)$/;
const FIXED_POINT = /^ufixed(\d+)x(\d+)$/;
const DECIMALS_MOST = 160;
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
export function parseArc28Event(text: string, options: SignatureOptions = {}): Signature {
  const typeOf: TypeOf = (name) => {
    if (!options.isKept && REFERENCES.has(name)) {
      throw new SignatureFault(`"${name}" refers to something in a call, so no event has it`);
    }
    return arc4Type(name, options);
  };
  return parseSignature(text, typeOf, { ...options, ...ARC4, returns: false });
}

/**
 * Parses an ABI method with its return type: `vote(uint64,address)void`. Source:
 * https://dev.algorand.co/arc-standards/arc-0004/
 * @throws SignatureFault
 */
export function parseArc4Method(text: string, options: SignatureOptions = {}): Signature {
  const typeOf: TypeOf = (name) => arc4Type(name, options);
  return parseSignature(text, typeOf, { ...options, ...ARC4, returns: true });
}

const ARC4 = { mayBeIndexed: false, shortest: 0n };

function arc4Type(name: string, { isKept = false }: SignatureOptions): ReturnType<TypeOf> {
  if (name === 'address') return { type: name, kind: 'address', max: undefined, isDynamic: false };
  if (name === 'bool') return { type: name, kind: 'boolean', max: undefined, isDynamic: false };
  if (name === 'string') return { type: name, kind: 'text', max: undefined, isDynamic: true };
  if (name === 'byte') return { type: name, kind: 'integer', max: 255n, isDynamic: false };
  const [, bitsText = ''] = INTEGER.exec(name) ?? [];
  const bits = Number(bitsText);
  if (isWidth(bitsText)) {
    return { type: name, kind: 'integer', max: 2n ** BigInt(bits) - 1n, isDynamic: false };
  }
  const opaque = { type: name, kind: 'composite' as const, max: undefined, isDynamic: false };
  if (REFERENCES.has(name)) return { ...opaque, onlyAs: 'argument' };
  if (name === 'void') return { ...opaque, onlyAs: 'return' };
  const [isFixedPoint, width = '', decimals = ''] = FIXED_POINT.exec(name) ?? [];
  if (isFixedPoint && (isKept || (isWidth(width) && isCount(decimals, DECIMALS_MOST)))) {
    return opaque;
  }
  throw new SignatureFault(`there is no type "${name}" in the ABI of Algorand`);
}

function isWidth(bits: string): boolean {
  return isCount(bits, 512) && Number(bits) % 8 === 0;
}

/** Whether digits are a number from 1, written as encoders do. */
function isCount(digits: string, most: number): boolean {
  return /^[1-9]\d{0,2}$/.test(digits) && Number(digits) <= most;
}
