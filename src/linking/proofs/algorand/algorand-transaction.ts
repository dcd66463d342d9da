import { areEqual, concatBytes } from '#linking/proofs/bytes';

/** Numbers, short strings and bytes: all that our one transaction needs. */
type MsgpackValue = number | string | Uint8Array;
/** No round and no fee is larger. */
const LARGEST = Number.MAX_SAFE_INTEGER;

type Fields = Readonly<Record<string, MsgpackValue>>;

/**
 * A map in Algorand's canonical encoding: sorted keys, zero and empty values omitted, every length
 * in its shortest form.
 * https://developer.algorand.org/docs/get-details/encoding/
 * @throws RangeError for what is too long or too large, which is a bug
 */
function canonicalMap(fields: Fields): Uint8Array {
  const kept = Object.entries(fields)
    .filter(([, value]) => (typeof value === 'number' ? value !== 0 : value.length > 0))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return concatBytes(
    within(kept.length, 16) | 0x80,
    ...kept.flatMap(([key, value]) => [encoded(key), encoded(value)]),
  );
}

/**
 * The fields of a map in that encoding.
 * @returns undefined for any other bytes, and for a map with other values
 */
export function readCanonicalMap(bytes: Uint8Array): Fields | undefined {
  const given = Buffer.from(bytes);
  try {
    if (((given[0] ?? 0) & 0xf0) !== 0x80) return undefined;
    const fields: Record<string, MsgpackValue> = Object.create(null);
    let at = 1;
    const next = () => {
      const [value, end] = valueAt(given, at);
      at = end;
      return value;
    };
    for (let left = (given[0] ?? 0) & 0x0f; left > 0; left--) {
      const key = next();
      if (typeof key !== 'string') return undefined;
      fields[key] = next();
    }
    // There is only one canonical encoding of the same fields.
    return areEqual(canonicalMap(fields), given) ? fields : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A value and where it ends. @throws RangeError if there is none that we know */
function valueAt(bytes: Buffer, at: number): readonly [MsgpackValue, number] {
  const kind = bytes.readUInt8(at);
  if (kind < 0x80) return [kind, at + 1];
  if (kind >= 0xa0 && kind < 0xc0) {
    const end = at + 1 + (kind & 0x1f);
    return [bytes.toString('latin1', at + 1, end), end];
  }
  switch (kind) {
    case 0xc4:
      return bytesAt(bytes, at + 2, bytes.readUInt8(at + 1));
    case 0xc5:
      return bytesAt(bytes, at + 3, bytes.readUInt16BE(at + 1));
    case 0xcc:
      return [bytes.readUInt8(at + 1), at + 2];
    case 0xcd:
      return [bytes.readUInt16BE(at + 1), at + 3];
    case 0xce:
      return [bytes.readUInt32BE(at + 1), at + 5];
    case 0xcf:
      return [within(Number(bytes.readBigUInt64BE(at + 1)), LARGEST), at + 9];
    default:
      throw new RangeError('another kind of value');
  }
}

function bytesAt(bytes: Buffer, start: number, length: number): readonly [Uint8Array, number] {
  return [bytes.subarray(start, start + length), start + length];
}

function encoded(value: MsgpackValue): Uint8Array {
  if (typeof value === 'number') return encodedNumber(within(value, LARGEST));
  if (typeof value === 'string') return concatBytes(within(value.length, 32) | 0xa0, value);
  const { length } = value;
  if (length < 0x100) return concatBytes(0xc4, length, value);
  return concatBytes(0xc5, within(length, 0x10000) >> 8, length & 0xff, value);
}

function encodedNumber(value: number): Uint8Array {
  if (value < 0x80) return Uint8Array.of(value);
  const bytes = Buffer.alloc(9);
  bytes.writeBigUInt64BE(BigInt(value), 1);
  const [kind, start] = headerOf(value);
  bytes.writeUInt8(kind, start);
  return bytes.subarray(start);
}

/** The kind, and where it stands before the number in its last bytes of nine. */
function headerOf(value: number): readonly [number, number] {
  if (value < 0x100) return [0xcc, 7];
  if (value < 0x10000) return [0xcd, 6];
  return value < 2 ** 32 ? [0xce, 4] : [0xcf, 0];
}

function within(value: number, end: number): number {
  if (value >= end) throw new RangeError(`${value} isn't below ${end}`);
  return value;
}

const MAINNET_ID = 'mainnet-v1.0';
const MAINNET_HASH = Buffer.from('wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', 'base64');
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** In microalgos: a hundred times the usual fee, which is what wallets add. */
const MOST_FEE = 100_000;
/** Rounds that a transaction may be valid for. */
const MOST_ROUNDS = 1_000;

/**
 * A zero payment from the wallet to itself with the text as its note. As it is, it can't be submitted:
 * it pays no fee, and was valid in round 1 only.
 * https://developer.algorand.org/docs/get-details/transactions/transactions/
 */
export function noteTransaction(sender: Uint8Array, text: string): Uint8Array {
  return canonicalMap(noteFields(sender, text));
}

function noteFields(sender: Uint8Array, text: string) {
  return {
    type: 'pay',
    snd: sender,
    rcv: sender,
    amt: 0,
    fee: 0,
    fv: 1,
    lv: 1,
    gen: MAINNET_ID,
    gh: MAINNET_HASH,
    note: Buffer.from(text, 'utf8'),
  };
}

/** The bytes that a transaction's signature covers. */
export function signedOfTransaction(transaction: Uint8Array): Uint8Array {
  return concatBytes('TX', transaction);
}

export interface SignedTransaction {
  readonly signature: Uint8Array;
  /** The signing key, if the sender was rekeyed. */
  readonly signer: Uint8Array | undefined;
  readonly transaction: Uint8Array;
}

/**
 * Parses a transaction signed by one key.
 * @returns undefined for anything else: multisig, a program's signature, extra fields, another
 * order
 */
export function readSigned(bytes: Uint8Array): SignedTransaction | undefined {
  const start = concatBytes(0x82);
  const startOfRekeyed = concatBytes(0x83, encodedKey('sgnr'), 0xc4, KEY_BYTES);
  const ofOwnKey = readAfter(bytes, start);
  if (ofOwnKey !== undefined) return { ...ofOwnKey, signer: undefined };
  const signerEnd = startOfRekeyed.length + KEY_BYTES;
  const signer = bytes.subarray(startOfRekeyed.length, signerEnd);
  const ofOtherKey = readAfter(bytes, concatBytes(startOfRekeyed, signer));
  return ofOtherKey && { ...ofOtherKey, signer };
}

/**
 * Whether it is signed by several keys or by a program, neither of which can sign a text; also for an
 * account that was rekeyed to them.
 */
export function isSignedOtherwise(bytes: Uint8Array): boolean {
  const startsWith = (start: Uint8Array) => areEqual(bytes.subarray(0, start.length), start);
  const namesSigner = Buffer.from(bytes).includes(concatBytes(encodedKey('sgnr'), 0xc4, KEY_BYTES));
  return ['msig', 'lsig'].some((kind) =>
    startsWith(concatBytes(namesSigner ? 0x83 : 0x82, encodedKey(kind))),
  );
}

/**
 * The sender of a payment of nothing to itself with the text as its note; undefined for any other
 * transaction. A wallet may fill in the fee, the rounds, a group and a lease, and leave out the
 * network's name beside its hash: none of that moves anything but the fee. A receiver, an amount,
 * another key or closing the account would.
 */
export function senderOfNote(transaction: Uint8Array, text: string): Uint8Array | undefined {
  const given = readCanonicalMap(transaction);
  const { snd, fee = 0, fv = 0, lv = 0, gen = '', grp = '', lx = '' } = given ?? {};
  if (!isHash(snd) || ![grp, lx].every((each) => each === '' || isHash(each))) return undefined;
  if (typeof fee !== 'number' || typeof fv !== 'number' || typeof lv !== 'number') return undefined;
  if (fee > MOST_FEE || lv < fv || lv - fv > MOST_ROUNDS) return undefined;
  const asked = noteFields(snd, text);
  const filledIn = { ...asked, fee, fv, lv, grp, lx, ...(gen === '' && { gen }) };
  return areEqual(canonicalMap(filledIn), transaction) ? snd : undefined;
}

function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === KEY_BYTES;
}

function readAfter(bytes: Uint8Array, start: Uint8Array) {
  const beforeSignature = concatBytes(start, encodedKey('sig'), 0xc4, SIGNATURE_BYTES);
  const signatureEnd = beforeSignature.length + SIGNATURE_BYTES;
  const signature = bytes.subarray(beforeSignature.length, signatureEnd);
  const before = concatBytes(beforeSignature, signature, encodedKey('txn'));
  if (!areEqual(bytes.subarray(0, before.length), before)) return undefined;
  return { signature, transaction: bytes.subarray(before.length) };
}

function encodedKey(key: string): Uint8Array {
  return concatBytes(0xa0 | key.length, key);
}
