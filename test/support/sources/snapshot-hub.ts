import { expect } from 'vitest';
import { type HttpStandIn, openStandIn } from './http-stand-in.ts';

export interface HubProposal {
  readonly id: string;
  readonly space: string;
  readonly end: number;
  readonly scores_state: string;
  /** How many votes it claims to have; undefined: as many as it has. */
  readonly votes?: number;
}

export interface HubVoteRow {
  readonly id: string;
  readonly proposal: string;
  readonly voter: string;
  readonly created: number;
  readonly vp_state: string;
}

/** What a hub has, and how it returns it. */
export interface HubData {
  /** The hub's clock, in seconds since 1970. */
  now: number;
  proposals: HubProposal[];
  votes: HubVoteRow[];
  /** Votes that aren't returned. */
  readonly hidden: Set<string>;
}

export interface HubStandIn extends HttpStandIn {
  readonly data: HubData;
}

/** The filters of each field in the published schema, as far as they're used. */
const ARGUMENTS = {
  proposals: ['space_in', 'state', 'end_gte', 'end_lte'],
  votes: ['proposal_in', 'created_gte'],
};
const ORDERS = { proposals: ['created', 'start', 'end'], votes: ['created', 'vp'] };
const FIELDS = {
  proposals: ['id', 'space', 'end', 'votes', 'scores_state', 'created', 'start', 'state'],
  votes: ['id', 'ipfs', 'voter', 'created', 'vp_state', 'proposal'],
};

type Entity = keyof typeof ARGUMENTS;
type Value = string | number | readonly string[];
type Row = Record<string, unknown>;

interface Question {
  readonly entity: Entity;
  readonly args: Readonly<Record<string, Value>>;
  readonly where: Readonly<Record<string, Value>>;
  readonly fields: readonly string[];
}

/** A hub by its published schema and limits, which knows nothing beyond `data`. */
export async function openHub(of?: Partial<HubData>): Promise<HubStandIn> {
  const data: HubData = {
    now: 2_000_000_000,
    proposals: [],
    votes: [],
    hidden: new Set(),
    ...of,
  };
  const standIn = await openStandIn(({ method, url, body }) => {
    expect(method).toBe('POST');
    expect(url.pathname).toBe('/graphql');
    const request = JSON.parse(body) as { query: string; variables: Record<string, Value> };
    expect(Object.keys(request)).toEqual(['query', 'variables']);
    const question = parse(request.query, request.variables);
    const rows = answer(question);
    const { fields } = question;
    const shown = rows.map((row) => Object.fromEntries(fields.map((name) => [name, row[name]])));
    return { body: { data: { [question.entity]: shown } } };
  });

  function answer({ entity, args, where }: Question): Row[] {
    const all = entity === 'votes' ? votes() : proposals();
    const matching = all.filter((row) =>
      Object.entries(where).every(([name, value]) => isMet(row, name, value)),
    );
    const order = String(args.orderBy);
    const sign = args.orderDirection === 'asc' ? 1 : -1;
    const sorted = matching.sort(
      (a, b) =>
        sign * (Number(a[order]) - Number(b[order])) || (String(a.id) < String(b.id) ? -1 : 1),
    );
    const skip = Number(args.skip ?? 0);
    return sorted.slice(skip, skip + Number(args.first));
  }

  function proposals(): Row[] {
    return data.proposals.map((each) => ({
      ...each,
      state: each.end < data.now ? 'closed' : 'active',
      votes: each.votes ?? data.votes.filter(({ proposal }) => proposal === each.id).length,
      space: { id: each.space },
    }));
  }

  function votes(): Row[] {
    return data.votes
      .filter(({ id }) => !data.hidden.has(id))
      .map((each) => ({ ...each, ipfs: `bafk${each.id}`, proposal: { id: each.proposal } }));
  }
  return Object.assign(standIn, { data });
}

function isMet(row: Row, name: string, value: Value): boolean {
  const [, field = '', comparison] = /^(.*?)(?:_(in|gte|lte))?$/.exec(name) ?? [];
  const own = row[field];
  const plain = typeof own === 'object' && own !== null ? (own as { id: string }).id : own;
  if (comparison === 'in') {
    // As the database of a hub compares: without letter case.
    const wanted = (value as readonly unknown[]).map((each) => String(each).toLowerCase());
    return wanted.includes(String(plain).toLowerCase());
  }
  // As on a hub, a bound of 0 is no bound.
  if (value === 0) return true;
  if (comparison === 'gte') return Number(plain) >= Number(value);
  if (comparison === 'lte') return Number(plain) <= Number(value);
  return plain === value;
}

/** Only what our queries consist of: one field with arguments, `where`, and flat fields. */
function parse(query: string, variables: Readonly<Record<string, Value>>): Question {
  const [, declared = '', entity, text = '', selected = ''] =
    /^query \w+\(([^)]*)\) \{\s*(proposals|votes)\(([\s\S]*?)\) \{([\s\S]*)\}\s*\}$/.exec(
      query.trim(),
    ) ?? [];
  expect(entity, query).toBeDefined();
  const of = entity as Entity;
  const names = [...declared.matchAll(/\$(\w+): /g)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(Object.keys(variables)));
  const [, whereText = ''] = /where: \{([^}]*)\}/.exec(text) ?? [];
  const valuesOf = (part: string) =>
    Object.fromEntries(
      [...part.matchAll(/(\w+): (\$\w+|"\w+"|\w+)/g)].map(([, name, value]) => [name, read(value)]),
    ) as Record<string, Value>;
  function read(value = ''): Value {
    if (!value.startsWith('$')) {
      return /^\d+$/.test(value) ? Number(value) : value.replaceAll('"', '');
    }
    const given = variables[value.slice(1)];
    expect(given, value).toBeDefined();
    return given as Value;
  }
  const where = valuesOf(whereText);
  const args = valuesOf(text.replace(/where: \{[^}]*\}/, ''));
  const fields = selected.replace(/\{[^}]*\}/g, '').match(/\w+/g) ?? [];
  expect(ARGUMENTS[of]).toEqual(expect.arrayContaining(Object.keys(where)));
  expect(FIELDS[of]).toEqual(expect.arrayContaining(fields));
  expect(['first', 'skip', 'orderBy', 'orderDirection']).toEqual(
    expect.arrayContaining(Object.keys(args)),
  );
  expect(ORDERS[of]).toContain(args.orderBy);
  expect(['asc', 'desc']).toContain(args.orderDirection);
  expect(args.first).toBeLessThanOrEqual(1_000);
  expect(args.skip ?? 0).toBeLessThanOrEqual(5_000);
  for (const [name, value] of Object.entries(where)) {
    if (name.endsWith('_in')) expect((value as readonly string[]).length).toBeLessThanOrEqual(100);
  }
  return { entity: of, args, where, fields };
}
