import type { EventCommit, LedgerCommit } from '#import';
import type {
  ActivityColumns,
  BadgeDefinition,
  ImportedEvent,
  LedgerCorrection,
} from '#reputation';
import type { Wallet } from '#wallet';
import type { Places } from './wallet-ids.ts';

/** What was staged since the last commit. */
export interface Staged {
  readonly badges: BadgeDefinition[];
  readonly names: { readonly wallet: Wallet; readonly displayName: string }[];
  /** In parts. */
  readonly activities: StagedPart[];
  /** Not merged as they are: the adjustments they result in are among the activities. */
  readonly corrections: LedgerCorrection[];
  readonly events: ImportedEvent[];
}

/** Activities, and where their wallets were in the cache when they were staged. */
export interface StagedPart {
  readonly columns: ActivityColumns;
  readonly wallets: Places;
}

/** A commit attempt with an unknown outcome. */
export interface UnsureCommit {
  /** The uid of the batch being written. */
  readonly uid: string;
  readonly commit: LedgerCommit;
  /** What it was to commit; more may have been staged since. */
  readonly badges: number;
  readonly names: number;
  /** Parts. */
  readonly activities: number;
  readonly corrections: number;
  readonly events: number;
}

export const NO_COMMIT: LedgerCommit = { added: 0, known: 0 };

/** Adds up two successive commits. */
export function sumCommits(a: LedgerCommit, b: LedgerCommit): LedgerCommit {
  const { refused: first = [] } = a;
  const before = a.added + a.known + first.length;
  const second = (b.refused ?? []).map((each) => ({ ...each, place: before + each.place }));
  const refused = [...first, ...second];
  const events = sumEvents(a.events, b.events);
  return {
    added: a.added + b.added,
    known: a.known + b.known,
    ...(refused.length > 0 && { refused }),
    ...(events !== undefined && { events }),
  };
}

function sumEvents(a: EventCommit | undefined, b: EventCommit | undefined) {
  if (a === undefined || b === undefined) return a ?? b;
  const before = a.added + a.known + a.refused.length;
  const second = b.refused.map((each) => ({ ...each, place: before + each.place }));
  return {
    added: a.added + b.added,
    known: a.known + b.known,
    refused: [...a.refused, ...second],
  };
}

export function nothingStaged(): Staged {
  return { badges: [], names: [], activities: [], corrections: [], events: [] };
}

export function isEmpty({ badges, names, activities, corrections, events }: Staged): boolean {
  const length = badges.length + names.length + activities.length + corrections.length;
  return length + events.length === 0;
}

export function unsureCommit(uid: string, commit: LedgerCommit, batch: Staged): UnsureCommit {
  const { badges, names, activities, corrections, events } = batch;
  return {
    ...{ uid, commit },
    badges: badges.length,
    names: names.length,
    activities: activities.length,
    corrections: corrections.length,
    events: events.length,
  };
}

/** Stages more. Parts of activities stay whole; an empty one would cause an empty commit. */
export function stageAll(
  staged: Staged,
  { badges, names, activities, corrections, events }: Staged,
): void {
  for (const event of events) staged.events.push(event);
  for (const correction of corrections) staged.corrections.push(correction);
  for (const badge of badges) staged.badges.push(badge);
  for (const name of names) staged.names.push(name);
  for (const part of activities) if (part.wallets.all.length > 0) staged.activities.push(part);
}
