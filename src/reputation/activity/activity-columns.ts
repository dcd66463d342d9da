import { CHAINS, type Chain } from '#wallet';
import type { LedgerActivity } from './activity.ts';

/** Concatenated texts, because one long string costs no more than a short one. */
export interface TextColumn {
  readonly text: string;
  /** End offset of each text. */
  readonly ends: Uint32Array;
}

/**
 * Activities as parallel arrays. These pass between threads many times faster, and a batch waiting
 * to be written is a few large objects rather than hundreds of thousands, which the garbage
 * collector would traverse and copy again and again.
 */
export interface ActivityColumns {
  readonly ids: TextColumn;
  /** Indexes in CHAINS. */
  readonly chains: Uint8Array;
  readonly addresses: TextColumn;
  readonly types: TextColumn;
  readonly descriptions: TextColumn;
  readonly points: Float64Array;
  readonly timestamps: Float64Array;
  /** Ids; empty if no badge is earned. */
  readonly badges: TextColumn;
}

/** One of the texts. Holding it keeps all the others in memory. */
export function textAt({ text, ends }: TextColumn, place: number): string {
  return text.slice(place === 0 ? 0 : ends[place - 1], ends[place]);
}

export function toActivityColumns(activities: readonly LedgerActivity[]): ActivityColumns {
  return {
    ids: textColumn(activities.map((each) => each.id)),
    chains: Uint8Array.from(activities, (each) => CHAINS.indexOf(each.wallet.chain)),
    addresses: textColumn(activities.map((each) => each.wallet.address)),
    types: textColumn(activities.map((each) => each.type)),
    descriptions: textColumn(activities.map((each) => each.description)),
    points: Float64Array.from(activities, (each) => each.points),
    timestamps: Float64Array.from(activities, (each) => each.timestamp),
    badges: textColumn(activities.map((each) => each.badge ?? '')),
  };
}

export function fromActivityColumns(columns: ActivityColumns): LedgerActivity[] {
  return Array.from(columns.chains, (chain, place) => ({
    id: textAt(columns.ids, place),
    wallet: { chain: CHAINS[chain] as Chain, address: textAt(columns.addresses, place) },
    type: textAt(columns.types, place),
    description: textAt(columns.descriptions, place),
    points: columns.points[place] as number,
    timestamp: columns.timestamps[place] as number,
    badge: textAt(columns.badges, place) || undefined,
  }));
}

/** Concatenates all parts. */
export function joinActivityColumns(parts: readonly ActivityColumns[]): ActivityColumns {
  return {
    ids: joinedTexts(parts.map((each) => each.ids)),
    chains: Uint8Array.from(joinedNumbers(parts.map((each) => each.chains))),
    addresses: joinedTexts(parts.map((each) => each.addresses)),
    types: joinedTexts(parts.map((each) => each.types)),
    descriptions: joinedTexts(parts.map((each) => each.descriptions)),
    points: joinedNumbers(parts.map((each) => each.points)),
    timestamps: joinedNumbers(parts.map((each) => each.timestamps)),
    badges: joinedTexts(parts.map((each) => each.badges)),
  };
}

export function textColumn(texts: readonly string[]): TextColumn {
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let place = 0; place < texts.length; place++) {
    end += (texts[place] as string).length;
    ends[place] = end;
  }
  return { text: texts.join(''), ends };
}

function joinedTexts(columns: readonly TextColumn[]): TextColumn {
  const ends = new Uint32Array(columns.reduce((sum, each) => sum + each.ends.length, 0));
  let place = 0;
  let before = 0;
  for (const column of columns) {
    for (const end of column.ends) ends[place++] = before + end;
    before += column.text.length;
  }
  return { text: columns.map((each) => each.text).join(''), ends };
}

function joinedNumbers(columns: readonly (Float64Array | Uint8Array)[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, each) => sum + each.length, 0));
  let place = 0;
  for (const column of columns) {
    all.set(column, place);
    place += column.length;
  }
  return all;
}
