import { ethereum } from '#chains/ethereum';
import { DAY_SECONDS } from '#core/scoring/days';
import type { SourceInput } from '#core/scoring/reading/input';
import { pathPlace } from '#core/scoring/reading/place';
import type { SourceEvent } from '#core/scoring/reading/store';
import type { NodeCall } from '#sources/node/call';
import {
  type ClosedProposal,
  closedProposals,
  FIRST_MOST,
  type HubVote,
  LIST_MOST,
  votesOn,
} from './hub.ts';

type VoteInput = Extract<SourceInput, { kind: 'vote' }>;

/** Votes of one stretch, and not many more: proposals that closed at one time are read together. */
const STRETCH = 5_000;
const FINAL = 'final';
const PENDING = 'pending';

/** What was read of proposals that closed in some time. */
export interface ClosedVotes {
  /** In canonical order: end, proposal, time of casting, id. */
  readonly events: readonly SourceEvent[];
  /** Every proposal that closed up to this second was read. */
  readonly to: number;
  /** Votes by accounts that aren't of Ethereum. */
  readonly foreign: number;
}

/**
 * Reads votes on proposals that closed behind `from`, up to `upTo` or as many as one stretch takes.
 * @throws NodeFault, of kind `behind` where votes of the first proposal aren't final
 */
export async function readVotes(
  call: NodeCall,
  inputs: readonly VoteInput[],
  from: number,
  upTo: number,
): Promise<ClosedVotes> {
  const spaces = [...new Set(inputs.map(({ space }) => space))];
  const proposals: ClosedProposal[] = [];
  let to = upTo;
  for (let at = 0; at < spaces.length; at += LIST_MOST) {
    const some = spaces.slice(at, at + LIST_MOST);
    const closed = await closedProposals(call, some, from + 1, to);
    proposals.push(...closed);
    // There are more; those that closed with the last one may be among them.
    if (closed.length === FIRST_MOST) to = beforeLast(call, closed);
  }
  const chosen = fitting(proposals, to);
  to = chosen.to;
  const votes = await allVotes(call, chosen.proposals);
  const waiting = firstUnfinished(chosen.proposals, votes);
  if (waiting !== undefined) to = waiting.end - 1;
  if (to <= from) {
    throw call.fault('behind', `has not counted all votes on proposal ${waiting?.id} yet`);
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

/** As many proposals as one stretch takes, always with all that closed at one time. */
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

async function allVotes(
  call: NodeCall,
  proposals: readonly ClosedProposal[],
): Promise<ReadonlyMap<string, readonly HubVote[]>> {
  const votes: HubVote[] = [];
  for (let at = 0; at < proposals.length; at += LIST_MOST) {
    const ids = proposals.slice(at, at + LIST_MOST).map(({ id }) => id);
    votes.push(...(await votesOn(call, ids)));
  }
  return Map.groupBy(votes, ({ proposal }) => proposal.id);
}

/** The first to close of those whose votes aren't all there, or aren't final. */
function firstUnfinished(
  proposals: readonly ClosedProposal[],
  votes: ReadonlyMap<string, readonly HubVote[]>,
): ClosedProposal | undefined {
  return proposals.find(({ id, votes: count, scores_state: state }) => {
    const cast = votes.get(id) ?? [];
    const isShort = state === FINAL && cast.length < (count ?? 0);
    return isShort || cast.some(({ vp_state: each }) => each === PENDING);
  });
}

function eventsOf(
  proposals: readonly ClosedProposal[],
  votes: ReadonlyMap<string, readonly HubVote[]>,
  inputs: readonly VoteInput[],
): Pick<ClosedVotes, 'events' | 'foreign'> {
  const events: SourceEvent[] = [];
  let foreign = 0;
  for (const { id, space, end } of proposals) {
    const placed = inputs.flatMap((input, place) =>
      input.space === space.id ? [{ place, since: sinceOf(input) }] : [],
    );
    for (const vote of lastOfEach(votes.get(id) ?? [])) {
      if (!ethereum.looksLike(vote.voter)) {
        foreign += 1;
        continue;
      }
      // Their case says nothing: the hub writes them as they came.
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
  return { events, foreign };
}

/** A vote again takes the place of the one before. */
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
