import {
  parseSignature,
  type Signature,
  SignatureFault,
  type SignatureOptions,
  type TypeOf,
} from './parse.ts';

const INTEGER = /^(u?)int(\d*)$/;
const BYTES = /^bytes(\d+)$/;
/** Topics of a log, apart from the one that identifies the event. */
const INDEXED_MOST = 3;

/**
 * Parses a Solidity event: `Transfer(address indexed from, address indexed to, uint256 value)`.
 * Source: https://docs.soliditylang.org/en/latest/abi-spec.html#events
 * @throws SignatureFault
 */
export function parseSolidityEvent(text: string, options: SignatureOptions = {}): Signature {
  const signature = parseSignature(text, solidityType, {
    ...options,
    ...{ mayBeIndexed: true, returns: false, shortest: 1n },
  });
  if (signature.args.filter(({ isIndexed }) => isIndexed).length > INDEXED_MOST) {
    throw new SignatureFault(`an event has at most ${INDEXED_MOST} indexed arguments`);
  }
  return signature;
}

const solidityType: TypeOf = (name) => {
  if (name === 'address') return fixed(name, 'address');
  if (name === 'bool') return fixed(name, 'boolean');
  if (name === 'string') return { ...fixed(name, 'text'), isDynamic: true };
  if (name === 'bytes') return { ...fixed(name, 'bytes'), isDynamic: true };
  const [, unsigned, bitsText] = INTEGER.exec(name) ?? [];
  if (bitsText !== undefined) {
    const bits = bitsText === '' ? 256 : Number(bitsText);
    if (bits >= 8 && bits <= 256 && bits % 8 === 0 && String(bits) === (bitsText || '256')) {
      const max = 2n ** BigInt(unsigned === 'u' ? bits : bits - 1) - 1n;
      return { ...fixed(`${unsigned}int${bits}`, 'integer'), max };
    }
  }
  const [, size] = BYTES.exec(name) ?? [];
  if (size !== undefined && /^([1-9]|[12]\d|3[0-2])$/.test(size)) return fixed(name, 'bytes');
  throw new SignatureFault(`there is no type "${name}" in Solidity`);
};

function fixed(type: string, kind: 'address' | 'boolean' | 'text' | 'bytes' | 'integer') {
  return { type, kind, max: undefined, isDynamic: false };
}
