import { secp256k1 } from '@noble/curves/secp256k1.js';
import { areEqual, concatBytes } from '#linking/proofs/bytes';
import { parityOf } from '#linking/proving/parity';
import { keccak256 } from '#wallet';
import type { EthereumNode } from './ethereum-node.ts';

/** Length of an ordinary account's signature: r, s and v. */
export const KEY_SIGNATURE_BYTES = 65;
/** The same with the parity in the highest bit of s. https://eips.ethereum.org/EIPS/eip-2098 */
const COMPACT_BYTES = 64;
const S_AT = 32;
/** The parity as most wallets encode it. */
const V = [27, 28];

/**
 * The hash that `personal_sign` signs for a text.
 * https://eips.ethereum.org/EIPS/eip-191#version-0x45-e
 */
export function personalHash(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return keccak256(concatBytes(`\x19Ethereum Signed Message:\n${bytes.length}`, bytes));
}

/** Whether it is as long as an ordinary account's signature; a contract may accept it, too. */
export function isOfKeyLength(signature: Uint8Array): boolean {
  return signature.length === KEY_SIGNATURE_BYTES || signature.length === COMPACT_BYTES;
}

/**
 * The address whose key made this signature: r, s and v, or the compact form of that.
 * @returns in lower case; undefined if no key can have made it: r or s out of range, another v, or
 * the higher of the two possible values of s, which anybody can compute from the lower one (EIP-2)
 */
export function signerOf(hashed: Uint8Array, signature: Uint8Array): string | undefined {
  const [scalars, parity] = takenApart(signature);
  if (scalars === undefined || parity === undefined) return undefined;
  try {
    const parts = secp256k1.Signature.fromBytes(scalars, 'compact');
    if (parts.hasHighS()) return undefined;
    const key = parts.addRecoveryBit(parity).recoverPublicKey(hashed).toBytes(false);
    // Skip the byte that says "uncompressed"; the address is the last 20 bytes of the hash.
    return `0x${Buffer.from(keccak256(key.subarray(1)).subarray(-20)).toString('hex')}`;
  } catch {
    return undefined;
  }
}

/**
 * Whether its last byte, the parity, was lost in copying, which makes it look like the compact form. Nobody can tell if
 * another account, or of another text, signed it.
 */
export function isCut(
  hashed: Uint8Array,
  signature: Uint8Array,
  address: string,
): 'yes' | 'maybe' | 'no' {
  // The highest bit of s is set in the compact form alone.
  if (signature.length !== COMPACT_BYTES || (signature[S_AT] ?? 0) >> 7 === 1) return 'no';
  const isOwn = V.some((v) => signerOf(hashed, concatBytes(signature, v)) === address);
  return isOwn ? 'yes' : 'maybe';
}

/** r and s in 64 bytes, and the parity; undefined if invalid. */
function takenApart(signature: Uint8Array): readonly [Uint8Array?, (0 | 1 | undefined)?] {
  if (signature.length === COMPACT_BYTES) {
    const scalars = Uint8Array.from(signature);
    const parity = (scalars[S_AT] ?? 0) >> 7 === 1 ? 1 : 0;
    scalars[S_AT] = (scalars[S_AT] ?? 0) & 0x7f;
    return [scalars, parity];
  }
  if (signature.length !== KEY_SIGNATURE_BYTES) return [];
  return [signature.subarray(0, COMPACT_BYTES), parityOf(signature[COMPACT_BYTES] ?? -1)];
}

/**
 * Creates a contract from the code that follows and returns the first byte of it, or 0 if that
 * fails. So failing code is an ordinary answer, and only faults of the node are errors: nodes
 * neither agree on how to report failing code nor limit what they say about it.
 */
const CATCHING = [
  '601c380380601c600039', // memory[0] = what follows these 0x1c bytes; its length stays on the stack
  '60006000f0', // create it: its address, or 0
  '600160006000', // one byte, from its first, to memory[0]
  '833c', // copy that from the code at the address: at address 0 there is none, which copies a 0
  '60016000f3', // leave that byte behind
].join('');

/**
 * Calls `getThreshold()` on the given address and returns one byte of its answer: 0 if it fails,
 * isn't exactly one word, or exceeds what a Safe can require.
 */
const threshold = (address: string) =>
  [
    '63e75235b860e01b600052', // memory[0] = the selector
    `602060206004600073${address.slice(2).toLowerCase()}5afa`, // call it; one word of the answer to memory[0x20]
    '3d60201416', // and it is one word long
    '6080602051106020510202', // times the word, where that is below 0x80
    '60005360016000f3', // leave that byte behind
  ].join('');

/**
 * Makes the call by which a wrapper deploys its contract (ERC-6492), and returns one byte: whether the address
 * has code after that.
 */
function deploying(address: string, factory: string, call: string): string {
  const length = word2(call.length / 2);
  const deploy = [
    `61${length}61004c600039`, // memory[0] = the call, which follows these 0x4c bytes
    `6000600061${length}60006000`, // no answer is wanted; all of the call, and no value
    `73${factory}5af150`, // call the factory; whether that fails doesn't matter
    `73${address.slice(2).toLowerCase()}3b1515`, // is there code?
    '60005360016000f3', // leave that byte behind
  ];
  return `0x${deploy.join('')}${call}`;
}

const word2 = (value: number) => value.toString(16).padStart(4, '0');

/**
 * The chain's verdict on a contract's signature. `no-contract`: the address has no code, and a wrapper's call
 * doesn't put any there.
 */
export type ContractVerdict = 'yes' | 'no' | 'no-contract';

/**
 * Asks the contract at an address whether a signature is valid (ERC-1271), deployed or not
 * (ERC-6492). The validating code is viem's, sent along with the call; it returns one byte. We
 * don't use viem's own function, because it takes a failing node for a contract that says no.
 * https://eips.ethereum.org/EIPS/eip-1271, https://eips.ethereum.org/EIPS/eip-6492
 * @throws UserError `contract-wrong-network`, RetryableError
 */
export async function askContract(
  node: EthereumNode,
  address: string,
  hashed: Uint8Array,
  signature: Uint8Array,
): Promise<ContractVerdict> {
  const isWrapped = Buffer.from(signature).subarray(-WRAPPER_END.length).equals(WRAPPER_END);
  if (!isWrapped && !(await node.hasCode(address))) return 'no-contract';
  const left = await node.run(await askingCode(address, hashed, signature));
  if (left === '0x01') return 'yes';
  if (left !== '0x00') throw node.nonsense();
  return isWrapped && !(await standsAt(node, address, signature)) ? 'no-contract' : 'no';
}

/** Whether a contract is at the address, or would be once the wrapper's call has been made. */
async function standsAt(node: EthereumNode, address: string, signature: Uint8Array) {
  if (await node.hasCode(address)) return true;
  const call = await callIn(signature);
  if (call === undefined) return false;
  const left = await node.run(deploying(address, call.factory, call.data));
  if (left !== '0x00' && left !== '0x01') throw node.nonsense();
  return left === '0x01';
}

/** @returns the factory and what it's called with, in hex without `0x`; undefined for a malformed wrapper */
async function callIn(signature: Uint8Array) {
  const viem = await import('viem');
  try {
    const { address = '0x', data = '0x' } = viem.parseErc6492Signature(toHex(signature));
    return { factory: address.slice(2).toLowerCase(), data: data.slice(2) };
  } catch (error) {
    if (error instanceof viem.BaseError) return undefined;
    throw error;
  }
}

/**
 * How many owners must sign for a Safe, by its `getThreshold()`.
 * https://docs.safe.global/reference-smart-account/owners/getThreshold
 * @returns undefined for a contract without one
 * @throws UserError, RetryableError as `askContract`
 */
export async function ownersWanted(
  node: EthereumNode,
  address: string,
): Promise<number | undefined> {
  const left = await node.run(`0x${threshold(address)}`);
  if (!/^0x[0-9a-f]{2}$/i.test(left)) throw node.nonsense();
  const owners = Number(left);
  return owners === 0 ? undefined : owners;
}

async function askingCode(
  address: string,
  hashed: Uint8Array,
  signature: Uint8Array,
): Promise<string> {
  // viem takes longer to load than everything else, and most signatures don't need it.
  const viem = await import('viem');
  const submitted = toHex(signature);
  // viem's code looks for the wrapper at the end, and fails on input too short to have one.
  const findable =
    signature.length < WRAPPER_END.length
      ? viem.serializeErc6492Signature({
          address: viem.zeroAddress,
          data: '0x',
          signature: submitted,
        })
      : submitted;
  const asking = viem.encodeDeployData({
    abi: viem.erc6492SignatureValidatorAbi,
    bytecode: viem.erc6492SignatureValidatorByteCode,
    args: [address as `0x${string}`, toHex(hashed), findable],
  });
  return `0x${CATCHING}${asking.slice(2)}`;
}

export function toHex(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** The suffix that ERC-6492 adds to the signature of a contract that isn't deployed yet. */
const WRAPPER_END = Buffer.from('6492'.repeat(16), 'hex');

const WORD = 32;
/** Factory, and the offsets of its call and the signature. */
const HEAD = 3 * WORD;

/**
 * An ordinary account's signature in an ERC-6492 wrapper. Wallet libraries wrap whatever a smart
 * account's owner signed, even if the account is the owner itself.
 * https://eips.ethereum.org/EIPS/eip-6492
 * @returns undefined unless the wrapper is exactly the ABI encoding of its parts, without extra
 * bytes or unusual offsets and padding
 */
export function wrappedKeySignature(signature: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(signature);
  if (!bytes.subarray(-WORD).equals(WRAPPER_END)) return undefined;
  const signatureAt = bytes.length - WORD - padded(KEY_SIGNATURE_BYTES);
  const callBytes = signatureAt - HEAD - 2 * WORD;
  if (callBytes < 0) return undefined;
  // Its length field says how much of the padded space the call occupies.
  const callLength = bytes.readUInt32BE(HEAD + WORD - 4);
  if (padded(callLength) !== callBytes) return undefined;
  const factory = bytes.subarray(WORD - 20, WORD);
  const call = bytes.subarray(HEAD + WORD, HEAD + WORD + callLength);
  const inner = bytes.subarray(signatureAt, signatureAt + KEY_SIGNATURE_BYTES);
  const exact = concatBytes(
    new Uint8Array(WORD - 20),
    factory,
    word(HEAD),
    word(HEAD + WORD + callBytes),
    word(callLength),
    call,
    new Uint8Array(callBytes - callLength),
    word(KEY_SIGNATURE_BYTES),
    inner,
    new Uint8Array(padded(KEY_SIGNATURE_BYTES) - KEY_SIGNATURE_BYTES),
    WRAPPER_END,
  );
  return areEqual(exact, bytes) ? inner : undefined;
}

function padded(length: number): number {
  return Math.ceil(length / WORD) * WORD;
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(WORD);
  bytes.writeUInt32BE(value, WORD - 4);
  return bytes;
}
