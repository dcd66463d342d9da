import type { RpcCall } from '#base';
import { addressOfDigits } from '#sources/evm/log';
import { CallReverted, type EvmRpc } from '#sources/evm/node/rpc';
import { NodeFault } from '#sources/node/fault';
import type { NodeCall } from '#sources/node/node';

/** What answers calls to a contract. */
export interface ContractCode {
  /** Its own code, without 0x; empty where there's none. */
  readonly own: string;
  /** What it hands calls on to, the last one being what runs them; undefined if it runs them itself. */
  readonly proxied: Proxied | undefined;
  /** The code that runs calls, without 0x; undefined if that can't be told. */
  readonly run: string | undefined;
}

/** A clone always hands calls on to one contract; the others can be given another. */
type Known = { readonly kind: 'clone' | 'proxy' | 'beacon' | 'account'; readonly of: string };

/** What a proxy hands calls on to; unknown if it isn't among the known kinds, or the node doesn't say. */
type Proxied = Known | { readonly kind: 'unknown'; readonly isRefused: boolean };

/**
 * Where proxies keep what they hand calls on to, in the order of trying. Sources: EIP-1967, EIP-1822, and the
 * hash of `org.zeppelinos.proxy.implementation`.
 */
const SLOTS = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
];
/** Also defined by EIP-1967. */
const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50';
/** Where Safe's proxies keep it, and many other contracts something else. */
const FIRST_SLOT = `0x${'0'.repeat(64)}`;
/** The selector of `implementation()`, which beacons answer, and proxies by EIP-897. */
const IMPLEMENTATION = '0x5c60da1b';
/** What pushes the selector of `proxyType()`, by which proxies of EIP-897 are known, such as Aragon's and so Lido's. */
const PROXY_TYPE = '634555d5c9';

/**
 * Code of other machines than the EVM, whose events can't be found in it: whatever begins with EF but EIP-7702's
 * (EIP-3541 keeps that from others; Arbitrum's Stylus uses it), and PolkaVM's.
 */
const FOREIGN = /^(?:ef(?!0100)|50564d00)/;

/** A proxy may hand calls on to another one. */
const HOPS_MOST = 4;

/**
 * Finds the code that runs calls to a contract, through proxies.
 * @throws NodeFault if the node doesn't tell the code itself
 */
export async function contractCode(
  call: NodeCall,
  rpc: EvmRpc,
  contract: string,
): Promise<ContractCode> {
  const own = await codeAt(call, rpc, contract);
  let [at, run] = [contract, own];
  let proxied: Known | undefined;
  for (let hop = 0; hop < HOPS_MOST; hop++) {
    if (FOREIGN.test(run)) return { own, proxied, run: undefined };
    const next = await proxiedBy(call, rpc, at, run);
    if (next === undefined) return { own, proxied, run };
    if (next.kind === 'unknown') return { own, proxied: next, run: undefined };
    proxied = { ...(proxied ?? next), of: next.of };
    at = next.of;
    run = await codeAt(call, rpc, at);
    // The slot is used for something else, or the node makes it up.
    if (run === '') break;
  }
  return { own, proxied: { kind: 'unknown', isRefused: false }, run: undefined };
}

async function proxiedBy(
  call: NodeCall,
  rpc: EvmRpc,
  contract: string,
  code: string,
): Promise<Proxied | undefined> {
  const fixed = fixedIn(code);
  if (fixed !== undefined) return fixed;
  if (!delegates(code)) return undefined;
  const slots = [...SLOTS, BEACON_SLOT, ...(SAFE.test(code) ? [FIRST_SLOT] : [])];
  const stored = await storedAt(call, rpc, contract, slots);
  if (stored === undefined) return { kind: 'unknown', isRefused: true };
  const kept = stored.map(addressIn);
  const beacon = kept[SLOTS.length];
  const of = kept.find((each, place) => each !== undefined && place !== SLOTS.length);
  if (of !== undefined) return { kind: 'proxy', of };
  const handsOn = HANDS_ON.test(code) || code.includes(PROXY_TYPE);
  if (beacon === undefined && !handsOn) return undefined;
  const behind = await implementationOf(call, rpc, beacon ?? contract);
  if (behind === undefined) return { kind: 'unknown', isRefused: false };
  return { kind: beacon === undefined ? 'proxy' : 'beacon', of: behind };
}

/** @returns undefined where the node doesn't tell what contracts store */
async function storedAt(
  call: NodeCall,
  rpc: EvmRpc,
  contract: string,
  slots: readonly string[],
): Promise<readonly string[] | undefined> {
  const asked: RpcCall[] = slots.map((slot) => ({
    method: 'eth_getStorageAt',
    params: [contract, slot, 'latest'],
  }));
  try {
    const stored = await rpc.ask(call, asked, { isWhole: true });
    return stored.every(isWord) ? stored : undefined;
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind !== 'refused') throw error;
    return undefined;
  }
}

async function codeAt(call: NodeCall, rpc: EvmRpc, address: string): Promise<string> {
  const asked = [{ method: 'eth_getCode', params: [address, 'latest'] }];
  const [code] = await rpc.ask(call, asked, { isWhole: true });
  return codeIn(call, code);
}

/**
 * The code that a node tells, without 0x; empty for none, which some nodes call 0x0.
 * @throws NodeFault for what is no code, such as null, which says nothing
 */
export function codeIn(call: NodeCall, code: unknown): string {
  if (code === '0x0') return '';
  if (typeof code !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(code)) {
    throw call.fault('broken', 'sent something other than code');
  }
  return code.slice(2).toLowerCase();
}

/** What a beacon or a proxy names; undefined if it doesn't answer. */
async function implementationOf(
  call: NodeCall,
  rpc: EvmRpc,
  asked: string,
): Promise<string | undefined> {
  const params = [{ to: asked, data: IMPLEMENTATION }, 'latest'];
  try {
    const [returned] = await rpc.ask(call, [{ method: 'eth_call', params }], { isWhole: true });
    return addressIn(returned);
  } catch (error) {
    // Not every node names a revert as one.
    const isRefused = error instanceof NodeFault && error.kind === 'refused';
    if (isRefused || error instanceof CallReverted) return undefined;
    throw error;
  }
}

/** Some nodes leave zeros out. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value);
}

function addressIn(word: unknown): string | undefined {
  if (!isWord(word)) return undefined;
  const digits = word.slice(2).toLowerCase().padStart(64, '0');
  const isAddress = digits.startsWith('0'.repeat(24)) && /[^0]/.test(digits);
  return isAddress ? addressOfDigits(digits.slice(24)) : undefined;
}

/** Copies all that it's called with: CALLDATASIZE, 0, 0, CALLDATACOPY. Two hex digits a byte. */
const COPIES = '36(?:6000|3d|5f|8[0-9a-f]){2}37';
/** Copies what it's called with and soon hands it on with DELEGATECALL. */
const HANDS_ON = new RegExp(`^(?:..)*?${COPIES}(?:..){0,80}?f4`);
/** Copies what it's called with before doing anything else. */
const COPIES_FIRST = new RegExp(`^(?:..){0,120}?${COPIES}`);
/**
 * Reads the first slot before anything else, as Safe's proxies do; other contracts may keep an owner there. In the
 * order of the pattern: versions to 1.4.1, the same from solc's optimizer, and 1.5.0, which then looks whether
 * `masterCopy()` is called. Source: contracts/proxies of https://github.com/safe-global/safe-smart-account.
 */
const SAFE = /^6080604052(?:73f{40}60005416|600073f{40}815416|60005463a619486e)/;

/** How long an address in a clone can be: leading zeros may be left out. In bytes. */
const ADDRESS_LENGTHS = [20, 19, 18, 17, 16, 15, 14, 13, 12];
/** Hex digits among which clones name their contract. */
const CLONE_MOST = 400;

/**
 * What code itself names. Sources: EIP-1167 and its kin, all of which push an address before GAS and DELEGATECALL;
 * EIP-7702, where an account borrows a contract's code.
 */
function fixedIn(code: string): Known | undefined {
  const [, borrowed] = /^ef0100(.{40})$/.exec(code) ?? [];
  if (borrowed !== undefined) return { kind: 'account', of: addressOfDigits(borrowed) };
  if (!COPIES_FIRST.test(code)) return undefined;
  for (const length of ADDRESS_LENGTHS) {
    const push = (0x5f + length).toString(16);
    const named = new RegExp(`^(?:..)*?${push}(.{${2 * length}})5af4`);
    const [, digits] = named.exec(code.slice(0, CLONE_MOST)) ?? [];
    if (digits !== undefined) {
      return { kind: 'clone', of: addressOfDigits(digits.padStart(40, '0')) };
    }
  }
  return undefined;
}

/** Whether code can run another contract's: whether DELEGATECALL is among its instructions. */
export function delegates(code: string): boolean {
  for (let at = 0; at < code.length; at += 2) {
    const instruction = Number.parseInt(code.slice(at, at + 2), 16);
    if (instruction === 0xf4) return true;
    // What PUSH1 to PUSH32 push.
    if (instruction >= 0x60 && instruction <= 0x7f) at += 2 * (instruction - 0x5f);
  }
  return false;
}
