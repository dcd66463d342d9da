import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type ImportOptions, type InputLine, importLines } from '#import/importer';
import type { LedgerBatch, LedgerCommit, LedgerRefusal, LedgerWriter } from '#import/ledger-writer';
import type { LineRefusal } from '#import/refusal';
import type { LedgerActivity, LedgerCorrection } from '#reputation/activity';
import type { BadgeDefinition } from '#reputation/badge';
import { chains } from '#wallet/chains/index';
import { createWalletParser, type Wallet } from '#wallet/wallet';

/** An in-memory ledger, written as plainly as possible. */
export interface MemoryLedger extends LedgerWriter {
  readonly badges: Map<string, BadgeDefinition>;
  readonly names: Map<string, string>;
  /** By address and id. */
  readonly activities: Map<string, LedgerActivity>;
  /** In the order they came in; none is applied. */
  readonly corrections: LedgerCorrection[];
  batches: number;
  /** What a commit does; tests replace it. */
  write(batch: LedgerBatch): LedgerCommit;
}

export function createMemoryLedger(): MemoryLedger {
  let staged: LedgerBatch[] = [];
  let corrections: LedgerCorrection[] = [];
  const ledger: MemoryLedger = {
    badges: new Map(),
    names: new Map(),
    activities: new Map(),
    corrections: [],
    batches: 0,
    knownBadges: () => new Set(ledger.badges.keys()),
    write(batch) {
      ledger.batches += 1;
      for (const badge of batch.badges) ledger.badges.set(badge.id, badge);
      for (const { wallet, displayName } of batch.names) {
        ledger.names.set(wallet.address, displayName);
      }
      let added = 0;
      const refused: LedgerRefusal[] = [];
      for (const [place, activity] of batch.activities.entries()) {
        if (activity.badge !== undefined && !ledger.badges.has(activity.badge)) {
          throw new Error(`the badge ${activity.badge} was not written before its activity`);
        }
        const key = `${activity.wallet.address} ${activity.id}`;
        if (ledger.activities.has(key)) {
          const [refusal] = ledger.compare([activity], []) as LedgerRefusal[];
          if (refusal !== undefined) refused.push({ ...refusal, place });
          continue;
        }
        ledger.activities.set(key, activity);
        added += 1;
      }
      const known = batch.activities.length - added - refused.length;
      return { added, known, ...(refused.length > 0 && { refused }) };
    },
    compare(activities, corrections) {
      const refused: LedgerRefusal[] = [];
      const find = (wallet: Wallet, id: string) => ledger.activities.get(`${wallet.address} ${id}`);
      for (const [place, activity] of activities.entries()) {
        const known = find(activity.wallet, activity.id);
        if (known !== undefined && !isDeepStrictEqual(known, activity)) {
          refused.push({ place, code: 'differs', reason: `not as act_${known.id}` });
        }
      }
      for (const [index, { wallet, corrects }] of corrections.entries()) {
        if (find(wallet, corrects) !== undefined) continue;
        const place = activities.length + index;
        refused.push({ place, code: 'unknown-activity', reason: `no act_${corrects}` });
      }
      return refused;
    },
    compareEvents: () => [],
    stageCorrections: (all) => void corrections.push(...all),
    stage: (part) => void staged.push(part),
    commit() {
      const result = ledger.write({
        badges: staged.flatMap((part) => part.badges),
        names: staged.flatMap((part) => part.names),
        activities: staged.flatMap((part) => part.activities),
      });
      staged = [];
      const refused = ledger.compare([], corrections) as LedgerRefusal[];
      const wrong = new Set(refused.map(({ place }) => place));
      const right = corrections.filter((_, place) => !wrong.has(place));
      ledger.corrections.push(...right);
      corrections = [];
      if (right.length + refused.length === 0) return result;
      return { added: right.length, known: 0, refused };
    },
    confirm: () => undefined,
    finish: () => undefined,
  };
  return ledger;
}

/** A ledger's content in a canonical order. */
export function contentOf(ledger: MemoryLedger): unknown {
  const sorted = <T>(entries: Iterable<[string, T]>) =>
    [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    badges: sorted(ledger.badges),
    names: sorted(ledger.names),
    activities: sorted(ledger.activities),
  };
}

export const NOW = Date.UTC(2026, 0, 1) / 1000;

export const readingTools = {
  wallets: createWalletParser(chains),
  now: () => NOW,
  sha256Hex: (text: string) => hash('sha256', text),
};

/** Texts as input lines of one file, in groups. */
export async function* inputOf(texts: readonly string[], group = 7): AsyncGenerator<InputLine[]> {
  const lines = texts.map((text, index) => ({ file: 'test.ndjson', number: index + 1, text }));
  for (let i = 0; i < lines.length; i += group) yield lines.slice(i, i + group);
}

interface Refused {
  readonly line: InputLine;
  readonly refusal: LineRefusal;
}

/** Imports texts with everything in memory; waits take no time. */
export async function importTexts(
  texts: readonly string[],
  writer: LedgerWriter,
  changes: Partial<ImportOptions> = {},
) {
  const refused: Refused[] = [];
  const spooled: InputLine[] = [];
  const corrections: InputLine[] = [];
  let clock = 0;
  const result = await importLines({
    ...readingTools,
    input: inputOf(texts),
    writer,
    spool: {
      push: (line) => void spooled.push(line),
      async *drain() {
        yield spooled;
      },
    },
    corrections: {
      push: (line) => void corrections.push(line),
      async *drain() {
        yield corrections;
      },
    },
    retry: {
      deadlineMs: 60_000,
      monotonicMs: () => clock,
      async sleep(ms) {
        clock += ms;
      },
    },
    onRefused: (line, refusal) => void refused.push({ line, refusal }),
    ...changes,
  });
  return { result, refused, spooled, waitedMs: clock };
}
