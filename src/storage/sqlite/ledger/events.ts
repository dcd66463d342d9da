import type { DatabaseSync } from 'node:sqlite';
import { type EventCommit, eventDiffers, type LedgerRefusal } from '#import';
import type { ImportedEvent } from '#reputation';
import { IMPORT } from '#scoring';
import { addedEvidence, noteArrivals } from '#storage/scoring/evidence';
import type { SqlRunner } from '#storage/sql/script';

/** Where imported events go. */
interface EvidenceIn {
  /** Call it in a transaction. @param numbers of all their wallets, by address */
  add(events: readonly ImportedEvent[], numbers: ReadonlyMap<string, number>): EventCommit;
  /** @param numbers of known wallets, by address */
  compare(
    events: readonly ImportedEvent[],
    numbers: ReadonlyMap<string, number>,
  ): readonly LedgerRefusal[];
}

/** @param runner of the same database */
export function createEvidence(db: DatabaseSync, runner: SqlRunner): EvidenceIn {
  const sql = prepare(db);

  function inputsOf(): Map<string, number> {
    const rows = sql.inputs.all(IMPORT);
    return new Map(rows.map((row) => [String(row.name), Number(row.number)]));
  }

  function refusalOf(place: number, event: ImportedEvent, wallet: number, input: number) {
    const known = sql.known.get(wallet, input, event.source);
    if (known === undefined) return [];
    const refusal = eventDiffers(event, {
      timestamp: Number(known.time),
      args: String(known.args),
    });
    return refusal === undefined ? [] : [{ place, ...refusal }];
  }

  return {
    add(events, numbers) {
      const inputs = inputsOf();
      for (const { event } of events) {
        if (inputs.has(event)) continue;
        inputs.set(event, Number(sql.addInput.run(IMPORT, event).lastInsertRowid));
      }
      const pending = events
        .map((event, place) => ({
          event,
          place,
          wallet: numbers.get(event.wallet.address) as number,
          input: inputs.get(event.event) as number,
        }))
        // In table order; of two that are the same event, the first counts.
        .sort(
          (a, b) =>
            a.wallet - b.wallet || a.input - b.input || byText(a.event.source, b.event.source),
        );
      const added: ImportedEvent[] = [];
      const refused: LedgerRefusal[] = [];
      for (const { event, place, wallet, input } of pending) {
        const { source, timestamp, args } = event;
        const { changes } = sql.add.run(wallet, input, source, timestamp, timestamp, args);
        if (changes !== 0) added.push(event);
        else refused.push(...refusalOf(place, event, wallet, input));
      }
      if (added.length > 0) {
        const { source, events: count, newest } = addedEvidence(added);
        sql.count.run(source, count, newest);
        const wallets = added.map(({ wallet }) => numbers.get(wallet.address) as number);
        void runner.query(() => noteArrivals(runner.dialect, wallets));
      }
      return { added: added.length, known: events.length - added.length - refused.length, refused };
    },
    compare(events, numbers) {
      const inputs = inputsOf();
      return events.flatMap((event, place) => {
        const wallet = numbers.get(event.wallet.address);
        const input = inputs.get(event.event);
        if (wallet === undefined || input === undefined) return [];
        return refusalOf(place, event, wallet, input);
      });
    },
  };
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function prepare(db: DatabaseSync) {
  return {
    inputs: db.prepare('SELECT number, name FROM evidence_input WHERE source = ?'),
    addInput: db.prepare('INSERT INTO evidence_input (source, name) VALUES (?, ?)'),
    add: db.prepare(
      `INSERT INTO evidence (wallet, input, place, height, time, args) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (wallet, input, place) DO NOTHING`,
    ),
    known: db.prepare(
      'SELECT time, args FROM evidence WHERE wallet = ? AND input = ? AND place = ?',
    ),
    count: db.prepare(
      `INSERT INTO evidence_source (source, events, newest) VALUES (?, ?, ?)
       ON CONFLICT (source) DO UPDATE
       SET events = events + excluded.events, newest = max(newest, excluded.newest)`,
    ),
  };
}
