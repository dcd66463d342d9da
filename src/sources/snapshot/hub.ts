import Type, { type TSchema } from 'typebox';
import { fieldOf } from '#base';
import { type AnswerCheck, answerCheck, Count } from '#sources/node/answer-schema';
import type { NodeCall } from '#sources/node/node';

/**
 * Our queries to a Snapshot hub. Source:
 * https://github.com/snapshot-labs/snapshot-hub/blob/master/src/graphql/schema.gql
 */

/** The most a hub returns at once, skips, or accepts in a list. */
export const FIRST_MOST = 1_000;
const SKIP_MOST = 5_000;
export const LIST_MOST = 100;

/** The most votes on the proposals that are read at once, which are held in memory. */
const VOTES_MOST = 1_000_000;
/** A hub may have up to twice as many votes as its proposals say, and this many more. */
const UNTOLD_VOTES = 10_000;

/** A hash in hex, or an IPFS CID for proposals of the first years. */
const Id = Type.String({ pattern: '^[0-9A-Za-z]{1,128}$' });

const NEWEST = `query Newest($before: Int!) {
  proposals(first: 1, where: {state: "closed", end_lte: $before}, orderBy: "end", orderDirection: desc) {
    end
  }
}`;
const PROPOSALS = `query Proposals($spaces: [String]!, $from: Int!, $to: Int!, $first: Int!) {
  proposals(first: $first, where: {space_in: $spaces, state: "closed", end_gte: $from, end_lte: $to}, orderBy: "end", orderDirection: asc) {
    id space { id } end votes scores_state
  }
}`;
const VOTES = `query Votes($proposals: [String]!, $from: Int!, $first: Int!, $skip: Int!) {
  votes(first: $first, skip: $skip, where: {proposal_in: $proposals, created_gte: $from}, orderBy: "created", orderDirection: asc) {
    id ipfs voter created vp_state proposal { id }
  }
}`;

const answerOf = <T extends TSchema>(data: T) => answerCheck(Type.Object({ data }));

const checkNewest = answerOf(
  Type.Object({ proposals: Type.Array(Type.Object({ end: Count }), { maxItems: 1 }) }),
);

const Proposal = Type.Object({
  id: Id,
  space: Type.Object({ id: Type.String() }),
  end: Count,
  votes: Type.Optional(Type.Union([Count, Type.Null()])),
  scores_state: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
/** A proposal whose voting has ended. */
export type ClosedProposal = Type.Static<typeof Proposal>;
const checkProposals = answerOf(
  Type.Object({ proposals: Type.Array(Proposal, { maxItems: FIRST_MOST }) }),
);

const Vote = Type.Object({
  id: Id,
  ipfs: Type.Optional(Type.Union([Id, Type.Null(), Type.Literal('')])),
  voter: Type.String({ minLength: 1, maxLength: 128 }),
  created: Count,
  vp_state: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  proposal: Type.Object({ id: Id }),
});
export type HubVote = Type.Static<typeof Vote>;
const checkVotes = answerOf(Type.Object({ votes: Type.Array(Vote, { maxItems: FIRST_MOST }) }));

/**
 * When the most recently closed proposal of any space closed; undefined if there's none. @throws NodeFault
 */
export async function newestEnd(call: NodeCall, before: number): Promise<number | undefined> {
  const { data } = await asked(call, checkNewest, NEWEST, { before });
  const end = data.proposals[0]?.end;
  if (end !== undefined && end > before)
    throw call.fault('broken', 'sent another end than the requested one');
  return end;
}

/** What a space's id is compared by: a hub's database heeds no letter case, and finds `reef.eth` for `Reef.eth`. */
export function spaceKey(id: string): string {
  return id.toLowerCase();
}

/**
 * The closed proposals of some spaces, in the order they closed: all of them, or the first 1,000.
 * @param spaces at most 100
 * @param from seconds since 1970; both `from` and `to` are included
 * @throws NodeFault
 */
export async function closedProposals(
  call: NodeCall,
  spaces: readonly string[],
  from: number,
  to: number,
): Promise<readonly ClosedProposal[]> {
  const variables = { spaces, from, to, first: FIRST_MOST };
  const { proposals } = (await asked(call, checkProposals, PROPOSALS, variables)).data;
  const wanted = new Set(spaces.map(spaceKey));
  let last = from;
  for (const { end, space } of proposals) {
    if (end < last || end > to || !wanted.has(spaceKey(space.id))) {
      throw call.fault('broken', "sent proposals that weren't requested");
    }
    last = end;
  }
  return proposals;
}

/**
 * All votes on some proposals, each once, by the time they were cast. Many can fall in one second, so each
 * page starts with the last second seen and skips the votes already known.
 * @param proposals at most 100
 * @throws NodeFault
 */
export async function votesOn(
  call: NodeCall,
  proposals: readonly ClosedProposal[],
): Promise<readonly HubVote[]> {
  const ids = new Set(proposals.map(({ id }) => id));
  const most = mostVotes(proposals);
  const found = new Map<string, HubVote>();
  let from = 1;
  while (true) {
    const skip = countOf(found, from);
    if (skip > SKIP_MOST) {
      throw call.fault(
        'refused',
        `has more than ${SKIP_MOST} votes of one second, which can't be read`,
      );
    }
    const variables = { proposals: [...ids], from, first: FIRST_MOST, skip };
    const { votes } = (await asked(call, checkVotes, VOTES, variables)).data;
    if (votes.length === 0) return [...found.values()];
    const known = found.size;
    for (const vote of votes) {
      if (vote.created < from || !ids.has(vote.proposal.id)) {
        throw call.fault('broken', "sent votes that weren't requested");
      }
      from = vote.created;
      found.set(vote.id, vote);
    }
    if (found.size === known) throw call.fault('broken', 'sent the same votes again');
    if (found.size > most) {
      throw call.fault('refused', `has more votes than ${most}, which can't be read`);
    }
  }
}

function mostVotes(proposals: readonly ClosedProposal[]): number {
  const stated = proposals.reduce((sum, { votes }) => sum + (votes ?? VOTES_MOST), 0);
  return Math.min(VOTES_MOST, 2 * stated + UNTOLD_VOTES);
}

/** How many of the known votes are of one second; they come last. */
function countOf(found: ReadonlyMap<string, HubVote>, created: number): number {
  let count = 0;
  for (const vote of found.values()) if (vote.created === created) count += 1;
  return count;
}

/** A page, which is requested again by itself if it's nonsense. */
async function asked<T>(
  call: NodeCall,
  check: AnswerCheck<T>,
  query: string,
  variables: object,
): Promise<T> {
  return await call.again(async () => call.check(check, await ask(call, query, variables)));
}

async function ask(call: NodeCall, query: string, variables: object): Promise<unknown> {
  const path = call.node.pathEndsWith('/graphql') ? '' : '/graphql';
  const body = { query, variables };
  // Each response to a query has one of them (GraphQL, section 7.1); without them it's something else's.
  const isOurs = (each: unknown) =>
    ['data', 'errors'].some((name) => fieldOf(each, name) !== undefined);
  const { status, json } = await call.ask({ path, body, isWhole: true, isOurs });
  if (status !== 200) throw call.fault('refused', `answered with ${status}`);
  // A partial answer can't be used: it doesn't say what's missing.
  const errors = fieldOf(json, 'errors') ?? [];
  if (!Array.isArray(errors) || errors.length > 0)
    throw call.fault('refused', 'answered with errors');
  return json;
}
