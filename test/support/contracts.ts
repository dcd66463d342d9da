/**
 * Contracts written in EVM bytecode, as there's no compiler here. The data of a call to
 * `isValidSignature(bytes32 hash, bytes signature)` (ERC-1271): the selector up to 0x04, the hash up to 0x24,
 * the signature's offset up to 0x44, its length up to 0x64, then r, s, v.
 */
type Hex = `0x${string}`;

const MAGIC = '1626ba7e';
const NO = 'ffffffff';

/** Returns 4 bytes in a word: `push4; push1 0xe0; shl; push1 0; mstore; push1 0x20; push1 0; return`. */
const returning = (bytes4: string) => `63${bytes4}60e01b60005260206000f3`;

/** Accepts signatures of one key. */
export function ownedBy(owner: string): Hex {
  return assembled([
    '600435600052', // memory[0x00] = hash
    '60a43560001a602052', // memory[0x20] = v, the first byte of what is at 0xa4
    '60406064604037', // memory[0x40] = r, memory[0x60] = s
    '602060806080600060015afa50', // ecrecover (contract 1) of those four words, into memory[0x80]
    `60805173${owner.slice(2).toLowerCase()}14`, // is it the owner?
    '604f57', // then jump to 0x4f
    returning(NO), // 16 bytes from 0x3f
    '5b', // 0x4f
    returning(MAGIC),
  ]);
}

/** Like a Safe with this `getThreshold()`; rejects every signature. */
export const wanting = (owners: number): Hex =>
  assembled([
    '60003560e01c63e75235b814', // is it getThreshold()?
    '601f57', // then jump to 0x1f
    returning(NO), // 16 bytes from 0x0f
    '5b', // 0x1f
    `60${owners.toString(16).padStart(2, '0')}60005260206000f3`,
  ]);

/** Like a Safe of two owners, to which signatures of that many are right. */
export const acceptingTwo = assembled([
  '60003560e01c63e75235b814', // is it getThreshold()?
  '603957', // then jump to 0x39
  '604435608214', // are there 130 bytes of signatures?
  '602857', // then jump to 0x28
  returning(NO), // 16 bytes from 0x18
  '5b', // 0x28
  returning(MAGIC),
  '5b', // 0x39
  '600260005260206000f3',
]);

/** The same, if the first of them begins with 0x11. */
export const acceptingInOrder = assembled([
  '60003560e01c63e75235b814', // is it getThreshold()?
  '604357', // then jump to 0x43
  '604435608214', // are there 130 bytes of signatures?
  '60643560f81c601114', // is 0x11 the first of them?
  '16', // are both so?
  '603257', // then jump to 0x32
  returning(NO), // 16 bytes from 0x22
  '5b', // 0x32
  returning(MAGIC),
  '5b', // 0x43
  '600260005260206000f3',
]);

/** Returns the same 4 bytes to any call. */
export const alwaysSaying = (bytes4: string): Hex => assembled([returning(bytes4)]);

/** The right 4 bytes, followed by more in the same word. */
export const sayingTooMuch = assembled([`7f${MAGIC}${'11'.repeat(28)}60005260206000f3`]);

/** Only 4 bytes instead of a word. */
export const sayingTooLittle = assembled([`63${MAGIC}60e01b60005260046000f3`]);

/** Returns its own call data, which starts with the selector: the same 4 bytes as a yes. */
export const echoing = assembled(['36600060003736', '6000f3']);

/** Accepts if the transaction comes from the zero address, as in careless simulations. */
export const trustingNobody = assembled([
  '3215', // is the origin zero?
  '601557', // then jump to 0x15
  returning(NO),
  '5b', // 0x15
  returning(MAGIC),
]);

export const reverting = assembled(['60006000fd']);
export const invalid = assembled(['fe']);
/** Reverts with a megabyte of zeros. */
export const revertingHugely = assembled(['621000006000fd']);
/** Returns a megabyte of zeros. */
export const returningHugely = assembled(['621000006000f3']);
/** Reads memory at a huge offset, which takes all gas. */
export const burningGas = assembled([`7f${'ff'.repeat(32)}51`]);

/**
 * Creates a contract from its call data: 32 bytes of salt, then the creation code. `size - 0x20; copy that
 * much from 0x20 to 0; create2 with the salt; return the address`
 */
export const factory = assembled([
  '60203603',
  '80602060 0037'.replace(' ', ''),
  '600035',
  '90',
  '60006000f5',
  '60005260206000f3',
]);

/** Creation code that deploys this code: it copies what follows its own 12 bytes. */
export function creationOf(code: Hex): Hex {
  const length = ((code.length - 2) / 2).toString(16).padStart(4, '0');
  return `0x61${length}80600c6000396000f3${code.slice(2)}`;
}

function assembled(lines: readonly string[]): Hex {
  return `0x${lines.join('')}`;
}
