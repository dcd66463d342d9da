import { hash32, hexOf } from '../hash.ts';

/** Votes of a chain that is made up, each computed from its number alone, and the rules for them. */

export const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const EVENT =
  'VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)';
/** Of that event. */
export const TOPIC = '0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4';
export const CHAIN_ID = 4242;
const WALLETS = 50_000;
/** What one vote gives. */
export const POINTS = 50;
/** Seconds since 1970 of the first block, and between two. */
const GENESIS = 1_700_000_000;
const BLOCK_S = 12;
/** Blocks without votes behind the last one, for those who wait for so many. */
const TAIL = 100;

export interface VoteChain {
  readonly votes: number;
  readonly perBlock: number;
}

export function headOf({ votes, perBlock }: VoteChain): number {
  return votes / perBlock + TAIL;
}

export function timeOf(block: number): number {
  return GENESIS + block * BLOCK_S;
}

export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** 32 bytes for a number, the same every time. */
export function bytes32(series: number, value: number): string {
  return `0x${hexOf(series, value, 8)}`;
}

/** Lower-case hex without 0x. */
function voterOf(vote: number): string {
  return hexOf(20, hash32(19, vote) % WALLETS, 5);
}

/** How many wallets have voted. */
export function votersOf({ votes }: VoteChain): number {
  return new Set(Array.from({ length: votes }, (_, vote) => voterOf(vote))).size;
}

const word = (value: number | bigint) => value.toString(16).padStart(64, '0');

/** As a node gives it: execution-apis, schemas/receipt.yaml. */
export function logOf({ perBlock }: VoteChain, vote: number): object {
  const block = 1 + Math.floor(vote / perBlock);
  const index = vote % perBlock;
  const reason = Buffer.from(`Vote number ${vote}`).toString('hex');
  return {
    address: CONTRACT.toLowerCase(),
    topics: [TOPIC, `0x${voterOf(vote).padStart(64, '0')}`],
    data: `0x${word(vote % 500)}${word(1)}${word(10n ** 18n)}${word(128)}${word(reason.length / 2)}${reason.padEnd(64, '0')}`,
    blockNumber: hex(block),
    transactionHash: bytes32(30, vote),
    transactionIndex: hex(index),
    blockHash: bytes32(40, block),
    blockTimestamp: hex(timeOf(block)),
    logIndex: hex(index),
    removed: false,
  };
}

/** A rules file that gives points for each vote. */
export function voteRules(): string {
  return `fathom: 1
name: bench
version: 1
sources:
  bench: {chain: "eip155:${CHAIN_ID}", rpc: [BENCH_RPC]}
rules:
  - id: vote
    on: {source: bench, contract: ${CONTRACT}, event: "${EVENT}", since: 1}
    wallet: voter
    give: {type: governance_vote, points: ${POINTS}}
`;
}
