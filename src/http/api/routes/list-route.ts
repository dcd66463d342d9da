import Type, { type TObject } from 'typebox';
import { type MaybePromise, UserError } from '#base';
import type { Turns } from '#base/process';
import { type PROBLEMS, walletNotFound } from '#http/api/answer/problems';
import { closed } from '#http/api/schemas';
import type { ChangesPage, Reading } from '#reputation';
import type { Wallet } from '#wallet';
import { addressListParameter } from './query.ts';
import type { About, Route } from './route.ts';

/** The most addresses in one list. */
const ADDRESSES_MAX = 100;
/** Each started group of this many addresses costs one request. */
const ADDRESSES_PER_REQUEST = 10;

const LIST_QUERY = Type.Object({
  addresses: addressListParameter({
    description:
      'Wallet addresses, separated by commas. Duplicates are answered and counted each time.',
    maxItems: ADDRESSES_MAX,
  }),
});

interface ListQuery {
  readonly addresses: readonly string[];
}

/** Codes of the errors that an item of a list may have. */
const PLACE_CODES = [
  'invalid-address',
  'wallet-not-found',
] as const satisfies (keyof typeof PROBLEMS)[];

/** Takes the place of a wallet without a record. */
const ListProblem = Type.Object(
  {
    address: Type.String({ description: 'The address as you sent it.' }),
    code: Type.Enum([...PLACE_CODES], {
      type: 'string',
      description: 'Why there is no record; the codes are those of single requests.',
    }),
    detail: Type.String({ description: 'What is wrong and how to fix it.' }),
  },
  { ...closed, title: 'ListProblem' },
);

interface PlaceProblem {
  readonly address: string;
  readonly code: (typeof PLACE_CODES)[number];
  readonly detail: string;
}

/** The body of a list. */
export interface ListBody {
  readonly results: readonly object[];
}

/** How many requests a list counts as. @param query as its reader returned it */
export function listCost(query: unknown): number {
  return Math.ceil((query as ListQuery).addresses.length / ADDRESSES_PER_REQUEST);
}

const EMPTY_PLACE = 'This place in the list is empty. Separate addresses with single commas.';

/** Declares a resource that returns for several wallets what another one returns for each. */
export function listRoute<R extends TObject>(
  route: About & {
    readonly path: string;
    /** The schema of one wallet's record. */
    readonly record: R;
    readonly serializer?: Route['serializer'];
    /** Its name in the OpenAPI document. */
    readonly title: string;
    readonly exampleRequest: string;
    readonly example: ListBody;
    /** @returns a record for each wallet, undefined for one without activity */
    answer(
      source: Reading,
      wallets: readonly Wallet[],
    ): MaybePromise<readonly (object | undefined)[]>;
  },
): Route {
  const { answer, title, record, ...rest } = route;
  const results = Type.Array(Type.Unsafe({ oneOf: [record, ListProblem] }), {
    description: 'One per address, in the same order.',
    maxItems: ADDRESSES_MAX,
  });
  return {
    ...rest,
    ofWallet: false,
    record,
    query: LIST_QUERY,
    response: Type.Object({ results }, { ...closed, title }),
    problems: [],
    answer({ source, query, readWallet }) {
      const { addresses } = query as ListQuery;
      const places = addresses.map((text) => placeOf(text, readWallet));
      const wallets = places.filter((place) => 'chain' in place);
      const records = answer(source, wallets);
      return records instanceof Promise
        ? records.then((all) => bodyOf(addresses, places, all))
        : bodyOf(addresses, places, records);
    },
  };
}

function placeOf(address: string, readWallet: (text: string) => Wallet): Wallet | PlaceProblem {
  if (address === '') return { address, code: 'invalid-address', detail: EMPTY_PLACE };
  try {
    return readWallet(address);
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'invalid-address') throw error;
    return { address, code: 'invalid-address', detail: error.message };
  }
}

function bodyOf(
  addresses: readonly string[],
  places: readonly (Wallet | PlaceProblem)[],
  records: readonly (object | undefined)[],
): ListBody {
  let next = 0;
  const results = places.map((place, i): object => {
    if ('code' in place) return place;
    const record = records[next];
    next += 1;
    return record ?? { address: addresses[i], ...walletNotFound() };
  });
  return { results };
}

/** Characters that are written in a turn of the event loop, which takes a millisecond or two. */
const IN_A_TURN = 256 * 1024;

/**
 * Writes a list; in turns, as bytes, if it's long: a hundred wallets with hundreds of badges are megabytes.
 * @param one serializes a record
 */
export function serializeList(
  { results }: ListBody,
  one: (record: object) => string,
  turns: Turns,
): MaybePromise<string | Buffer> {
  const textOf = (each: object) => ('code' in each ? JSON.stringify(each) : one(each));
  let text = '{"results":[';
  for (const [place, each] of results.entries()) {
    if (place > 0) text += ',';
    text += textOf(each);
    if (text.length > IN_A_TURN) return rest(text, place + 1);
  }
  return `${text}]}`;

  async function rest(begun: string, next: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let part = begun;
    for (const each of results.slice(next)) {
      if (part.length > IN_A_TURN) {
        parts.push(Buffer.from(part));
        part = '';
        await turns.next();
      }
      part += `,${textOf(each)}`;
    }
    return Buffer.concat([...parts, Buffer.from(`${part}]}`)]);
  }
}

/** @param one serializes a wallet's change */
export function serializePage(
  { changes, next, hasMore }: ChangesPage,
  one: (change: object) => string,
): string {
  const texts = changes.map((each) => ('address' in each ? one(each) : JSON.stringify(each)));
  return `{"changes":[${texts.join(',')}],"next":"${next}","hasMore":${hasMore}}`;
}
