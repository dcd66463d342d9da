import { DAY_SECONDS, formatTime, RetryableError, wallSeconds } from '#base';
import {
  pathPlace,
  type SourceEvent,
  type SourceInput,
  type SourcePosition,
  type Start,
} from '#scoring';
import { type AnswerComparison, eventDifference } from '#sources/node/disagreement';
import type { NodeCall } from '#sources/node/node';
import { type NodePool, type NodeSourceOptions, openPool } from '#sources/node/pool';
import type { ChainEnd, ChainSource, NodeStatus, ReadRequest, ReadStretch } from '#sources/source';
import { ethereum } from '#wallet/chains';
import {
  type ClosedProposal,
  closedProposals,
  FIRST_MOST,
  type HubVote,
  LIST_MOST,
  newestEnd,
  spaceKey,
  votesOn,
} from './hub.ts';

/** Hubs accept 100 requests a minute without an API key. */
const POLL_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** A hub accepts votes until the last second, checks them for a while, and only then shows them. */
const SETTLES_S = 120;

export interface SnapshotOptions extends NodeSourceOptions {
  /** Raises a hub's limits; never shown. */
  readonly apiKey?: string | undefined;
  /** Seconds since 1970. */
  readonly wall?: () => number;
}

/** Votes in Snapshot spaces, read from hubs once their proposals are closed. */
export class SnapshotSource implements ChainSource {
  readonly pollMs = POLL_MS;
  readonly #pool: NodePool;
  readonly #id: string;
  readonly #wall: () => number;
  /** The end of the newest proposal that a hub was seen to have closed, which tells the time: our clock may be wrong. */
  #newest = 0;

  constructor({ apiKey, wall = wallSeconds, ...options }: SnapshotOptions) {
    const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    this.#id = options.id;
    this.#wall = wall;
    this.#pool = openPool(options, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, headers });
  }

  /** The end of the newest closed proposal of any space: all that ended before are closed, too. */
  async end(signal: AbortSignal): Promise<ChainEnd> {
    const before = this.#wall() - SETTLES_S;
    const found = await this.#pool.head(async (call) => {
      const end = await newestEnd(call, before);
      if (end === undefined) throw call.fault('behind', 'has no closed proposal');
      return positionAt(end);
    }, signal);
    this.#newest = Math.max(this.#newest, found.height);
    return found;
  }

  async begin(since: Start): Promise<SourcePosition> {
    const start = since.kind === 'day' ? since.day * DAY_SECONDS : Number(since.height);
    if (start > this.#wall()) {
      throw new RetryableError(`Reading ${this.#id} starts on a day that hasn't come yet.`);
    }
    return positionAt(Math.max(0, start - 1));
  }

  async read({ inputs, from, upTo, signal }: ReadRequest): Promise<ReadStretch> {
    const wanted = inputs.map(voteOf);
    if (this.#newest < upTo) await this.end(signal);
    const now = Math.max(upTo, this.#newest);
    const { events, to, leftOut } = await this.#pool.agreed(
      (call) => readVotes(call, wanted, from.height, upTo, now),
      votesComparison(from.height, upTo),
      signal,
    );
    return { events, leftOut, end: positionAt(to) };
  }

  /** Votes aren't balances. */
  async balancesOf(): Promise<undefined> {
    return undefined;
  }

  nodes(): readonly NodeStatus[] {
    return this.#pool.status();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** Here, a height is a second, and its time is that second. */
function positionAt(seconds: number): SourcePosition {
  return { height: seconds, hash: null, time: seconds };
}

function votesComparison(from: number, upTo: number): AnswerComparison<ClosedVotes> {
  const at = (first: number, last: number) =>
    first === last
      ? `proposals that closed at ${formatTime(first)}`
      : `proposals that closed between ${formatTime(first)} and ${formatTime(last)}`;
  return {
    about: at(from + 1, upTo),
    // A hub that hasn't counted the newest votes yet isn't wrong about those before.
    differenceOf(one, other) {
      const to = Math.min(one.to, other.to);
      const counted = ({ events }: ClosedVotes) => events.filter(({ height }) => height <= to);
      return eventDifference(counted(one), counted(other), at);
    },
    vouchedFor: (one, other) => (one.to <= other.to ? one : other),
  };
}

function voteOf(input: SourceInput): Extract<SourceInput, { kind: 'vote' }> {
  if (input.kind === 'vote') return input;
  throw new Error(`${input.name} isn't of Snapshot`);
}

type VoteInput = Extract<SourceInput, { kind: 'vote' }>;

/** About how many votes a stretch has; proposals that closed in the same second stay together. */
const STRETCH = 5_000;
const FINAL = 'final';
const PENDING = 'pending';
/** The hub couldn't compute the voting power, as with a broken strategy, and perhaps never will. The votes stand. */
const INVALID = 'invalid';
/** How long a hub has to show what it counts. What it doesn't show by then, it deleted without counting again. */
const LATE_S = 7 * DAY_SECONDS;
/** One vote in so many may be missing for good. A hub that lacks more hasn't read the proposal whole. */
const MISSING_SHARE = 100;

/** The votes on the proposals that closed in some time range. */
interface ClosedVotes {
  /** In canonical order: end, proposal, time cast, id. */
  readonly events: readonly SourceEvent[];
  /** Every proposal that closed up to this second was read. */
  readonly to: number;
  /** How many votes of each input's space are by accounts that aren't on Ethereum, or counted and never shown. */
  readonly leftOut: readonly number[];
}

/**
 * Reads the votes on proposals that closed after `from`, up to `upTo` or for one stretch.
 * @param now in seconds since 1970, by what the hubs have closed
 * @throws NodeFault; of kind `behind` if the votes on the first proposal aren't final
 */
async function readVotes(
  call: NodeCall,
  inputs: readonly VoteInput[],
  from: number,
  upTo: number,
  now: number,
): Promise<ClosedVotes> {
  const spaces = [...new Set(inputs.map(({ space }) => space))];
  const proposals: ClosedProposal[] = [];
  let to = upTo;
  for (let at = 0; at < spaces.length; at += LIST_MOST) {
    const some = spaces.slice(at, at + LIST_MOST);
    const closed = await closedProposals(call, some, from + 1, to);
    proposals.push(...closed);
    // There are more, and some may have closed together with the last one.
    if (closed.length === FIRST_MOST) to = beforeLast(call, closed);
  }
  const chosen = fitting(proposals, to);
  to = chosen.to;
  const votes = await allVotes(call, chosen.proposals);
  const waiting = firstUnfinished(chosen.proposals, votes, now);
  if (waiting !== undefined) to = waiting.end - 1;
  if (to <= from) {
    throw call.fault(
      'behind',
      waiting === undefined ? 'has nothing new' : waitingWords(waiting, votes),
    );
  }
  const counted = chosen.proposals.filter(({ end }) => end <= to);
  return { to, ...eventsOf(counted, votes, inputs) };
}

function beforeLast(call: NodeCall, closed: readonly ClosedProposal[]): number {
  const last = closed.at(-1)?.end ?? 0;
  if (closed[0]?.end === last) {
    throw call.fault(
      'refused',
      `has ${FIRST_MOST} proposals that closed at once, too many to read`,
    );
  }
  return last - 1;
}

/** As many proposals as fit a stretch, never splitting those that closed in the same second. */
function fitting(proposals: readonly ClosedProposal[], upTo: number) {
  const inOrder = proposals
    .filter(({ end }) => end <= upTo)
    .toSorted((one, other) => one.end - other.end);
  let votes = 0;
  let to = upTo;
  for (const [index, { end, votes: count }] of inOrder.entries()) {
    const previous = inOrder[index - 1];
    if (previous !== undefined && previous.end < end && votes >= STRETCH) {
      to = previous.end;
      break;
    }
    votes += count ?? 0;
  }
  return { to, proposals: inOrder.filter(({ end }) => end <= to) };
}

async function allVotes(call: NodeCall, proposals: readonly ClosedProposal[]): Promise<VotesOf> {
  const votes: HubVote[] = [];
  for (let at = 0; at < proposals.length; at += LIST_MOST) {
    const some = proposals.slice(at, at + LIST_MOST);
    // Not as arguments: there may be too many.
    for (const vote of await votesOn(call, some)) votes.push(vote);
  }
  return Map.groupBy(votes, ({ proposal }) => proposal.id);
}

type VotesOf = ReadonlyMap<string, readonly HubVote[]>;

/** The first to close of those with missing votes, or votes that aren't final. */
function firstUnfinished(
  proposals: readonly ClosedProposal[],
  votes: VotesOf,
  now: number,
): ClosedProposal | undefined {
  return proposals.find((proposal) => {
    const cast = votes.get(proposal.id) ?? [];
    const missing = missingOf(proposal, votes);
    if (proposal.end + LATE_S <= now) {
      return (
        missing > 0 && (cast.length === 0 || missing > Math.max(1, cast.length / MISSING_SHARE))
      );
    }
    const isPending =
      proposal.scores_state !== INVALID && cast.some(({ vp_state: each }) => each === PENDING);
    return missing > 0 || isPending;
  });
}

/** How many votes a hub counts and doesn't show. */
function missingOf({ id, votes: count, scores_state: state }: ClosedProposal, votes: VotesOf) {
  return state === FINAL ? Math.max(0, (count ?? 0) - (votes.get(id)?.length ?? 0)) : 0;
}

function waitingWords(proposal: ClosedProposal, votes: VotesOf): string {
  const { id, votes: count } = proposal;
  const words = `has not counted all votes on proposal ${id} yet`;
  if (missingOf(proposal, votes) === 0) return words;
  return `${words}: it tells of ${count}, and shows ${votes.get(id)?.length ?? 0}`;
}

function eventsOf(
  proposals: readonly ClosedProposal[],
  votes: VotesOf,
  inputs: readonly VoteInput[],
): Pick<ClosedVotes, 'events' | 'leftOut'> {
  const events: SourceEvent[] = [];
  const leftOut = inputs.map(() => 0);
  for (const proposal of proposals) {
    const { id, space, end } = proposal;
    const placed = inputs.flatMap((input, place) =>
      spaceKey(input.space) === spaceKey(space.id) ? [{ place, since: sinceOf(input) }] : [],
    );
    const missing = missingOf(proposal, votes);
    for (const { place } of placed) leftOut[place] = (leftOut[place] ?? 0) + missing;
    for (const vote of lastOfEach(votes.get(id) ?? [])) {
      if (!ethereum.looksLike(vote.voter)) {
        for (const { place } of placed) leftOut[place] = (leftOut[place] ?? 0) + 1;
        continue;
      }
      // Letter case carries no checksum here: the hub stores addresses as they were sent.
      const voter = ethereum.canonical(vote.voter.toLowerCase());
      for (const { place, since } of placed) {
        if (vote.created < since) continue;
        events.push({
          input: place,
          wallet: { chain: 'ethereum', address: voter },
          height: end,
          place: pathPlace([id, vote.created, vote.id]),
          time: vote.created,
          args: JSON.stringify({ voter, proposal: id, ...(vote.ipfs && { ipfs: vote.ipfs }) }),
          transaction: vote.id,
        });
      }
    }
  }
  events.sort((a, b) => a.height - b.height || byText(a.place, b.place) || a.input - b.input);
  return { events, leftOut };
}

/** Voting again replaces the earlier vote. */
function lastOfEach(votes: readonly HubVote[]): Iterable<HubVote> {
  const inOrder = votes.toSorted((a, b) => a.created - b.created || byText(a.id, b.id));
  return new Map(inOrder.map((vote) => [vote.voter.toLowerCase(), vote])).values();
}

function sinceOf({ since }: VoteInput): number {
  return since.kind === 'day' ? since.day * DAY_SECONDS : Number(since.height);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
