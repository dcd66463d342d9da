import type { Table } from './table.ts';

/** What rules read, and what they gave. Released: what is here never changes; see `Table.added`. */
export const SCORING_TABLES: readonly Table[] = [
  // What rules wait for. Of the source "import": the names of events.
  {
    name: 'evidence_input',
    columns: {
      number: 'int',
      source: 'key',
      name: 'key',
      // How far the input of a chain has been read; nothing for imports.
      height: 'big?',
      hash: 'key?',
      time: 'big?',
      // On its balances.
      verdict: 'key?',
    },
    // Of inputs of chains: how many events each has, and how many were left out.
    added: { 'counts of inputs': { columns: { events: 'big = 0', left_out: 'big = 0' } } },
    key: 'number',
    unique: '(source, name)',
  },
  // Events, each once, whatever the rules: those of one wallet lie together, so that rules are
  // folded over wallet after wallet.
  {
    name: 'evidence',
    columns: {
      wallet: 'int',
      input: 'int',
      // Within the source; of an import the source of the line.
      place: 'key',
      // The first part of the order; of an import its time.
      height: 'big',
      // Seconds since 1970.
      time: 'big',
      // JSON.
      args: 'text',
      // By which an explorer finds the event.
      transaction_id: 'key?',
    },
    key: 'wallet, input, place',
    postgresOrder: 'height, time, wallet, input, place, args, transaction_id',
  },
  // How much there is of each source, written in the same transaction.
  {
    name: 'evidence_source',
    columns: {
      source: 'key',
      events: 'big',
      // The time of the newest event.
      newest: 'big',
      // The source's, so that other events never get its name.
      chain: 'key?',
      // Events that name no wallet or are malformed.
      left_out: 'big = 0',
    },
    key: 'source',
  },
  // Wallets that got evidence, in the order of the commits; kept while there are editions to bring
  // up to date.
  { name: 'evidence_arrival', columns: { number: 'big', wallet: 'int' }, key: 'number' },
  // Rules, and how far what they made of the evidence is.
  {
    name: 'edition',
    columns: {
      number: 'int',
      name: 'key',
      version: 'int',
      hash: 'key',
      state: 'key',
      // The edition that was live before it.
      replaces: 'int?',
      // What of `evidence_arrival` is in.
      arrived: 'big',
      // The midnight that was taken last, as a day since 1970.
      as_of: 'int',
      applied_at: 'big?',
      // JSON: what the scores are based on.
      ends: "key = '[]'",
    },
    // The state in which all scores of an edition last stood on the same evidence and day, as JSON of
    // its newest change, its day and its ends; NULL where an earlier version wrote it.
    added: { 'when scores were settled': { columns: { settled: 'key?' } } },
    key: 'number',
  },
  // Rules files apart from editions, whose rows are written with each bit of progress: a list may
  // have a million addresses. Editions with the same hash mean the same, and share a row.
  // lists: JSON, texts by their paths.
  {
    name: 'stored_rules',
    hasLargeRows: true,
    columns: { hash: 'key', text: 'key', lists: 'key' },
    key: 'hash',
  },
  // What the rules of an edition gave: activities, as those of the ledger. The newest of a wallet
  // come first.
  {
    name: 'scored',
    columns: {
      edition: 'int',
      wallet: 'int',
      timestamp: 'big',
      id: 'key',
      // The changes (scored_change) that brought a row and took it back, so that who is behind
      // still finds it; 0 was there when the edition went live.
      born: 'big',
      gone: 'big?',
      type: 'key',
      description: 'key',
      points: 'big',
      badge: 'int?',
      // RULE:SOURCE:POSITION.
      origin: 'key',
    },
    key: 'edition, wallet, timestamp DESC, id, born',
  },
  // Sums over those that are there.
  {
    name: 'scored_wallet',
    columns: {
      edition: 'int',
      wallet: 'int',
      points: 'big',
      activities: 'int',
      // 0 when nothing changed since the edition went live.
      updated_at: 'big',
      // The day whose midnight changes something next.
      due: 'int?',
      // The newest one of the wallet.
      change: 'big',
    },
    key: 'edition, wallet',
    indexes: { scored_wallet_due: '(edition, due) WHERE due IS NOT NULL' },
  },
  {
    name: 'scored_rule',
    columns: {
      edition: 'int',
      wallet: 'int',
      rule: 'key',
      points: 'big',
      events: 'int',
      capped: 'big',
      decayed: 'big',
      discounted: 'big',
      newest: 'big',
    },
    key: 'edition, wallet, rule',
  },
  // Points by day, as busy_day, of wallets with as many rows of an edition. change: that of the
  // wallet (scored_wallet) when it was written; where that has another one, these are out of date.
  {
    name: 'scored_day',
    columns: { edition: 'int', wallet: 'int', day: 'int', points: 'big', change: 'big' },
    key: 'edition, wallet, day',
  },
  // How much of a source that has no blocks (the imports) is in an edition. height: how many
  // events. at: the time of the newest.
  {
    name: 'edition_source',
    columns: { edition: 'int', source: 'key', height: 'big', at: 'big' },
    key: 'edition, source',
  },
  {
    name: 'scored_badge',
    columns: { edition: 'int', wallet: 'int', badge: 'int', earned_at: 'big' },
    key: 'edition, wallet, badge',
    // For lists of who has a badge, newest first.
    indexes: { scored_badge_holders: '(edition, badge, earned_at, wallet)' },
  },
  // What a batch changed of the live edition, one row a wallet.
  {
    name: 'scored_change',
    columns: {
      number: 'big',
      batch: 'big',
      edition: 'int',
      wallet: 'int',
      // Differences.
      points: 'big',
      activities: 'int',
      // Numbers of badges with commas between them.
      gained: 'key',
      lost: 'key',
    },
    key: 'number',
    indexes: { scored_change_batch: '(batch, number)' },
  },
];
