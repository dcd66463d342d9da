import { parseDay } from '#base';
import {
  type Breakdown,
  HISTORY_MAX,
  type Provenance,
  type ProvenanceSource,
  type RuleShare,
  type ScoreDay,
  type ScoreHistory,
} from '#reputation';
import type { Wallet } from '#wallet';
import { requireWallet } from './response-bodies.ts';
import {
  formIn,
  InvalidResponseError,
  integerIn,
  listOf,
  optionalText,
  recordOf,
  textIn,
  timeIn,
} from './response-fields.ts';

/** Parses where scores come from, as `response-bodies.ts` does the rest. All throw `InvalidResponseError`. */

const RULE_ID = /^[a-z][a-z0-9-]{0,63}$/;
const SOURCE_ID = /^[a-z][a-z0-9]{0,15}$/;
const SHA_256 = /^[0-9a-f]{64}$/;
const CHAIN = /^[a-z0-9]{1,16}(?::[A-Za-z0-9]{1,32})?$/;
const BLOCK_HASH = /^[0-9A-Za-z+/=_-]{1,128}$/;
/** Far more than a readable file of rules has. */
const MOST_RULES = 10_000;
const MOST_SOURCES = 1_000;

type Fields = ReturnType<typeof recordOf>;

export function parseBreakdown(body: unknown, wallet: Wallet): Breakdown {
  const from = recordOf(body, 'the body');
  requireWallet(from, wallet);
  const imported = recordOf(from.imported, 'imported');
  const breakdown: Breakdown = {
    address: wallet.address,
    score: integerIn(from, 'score', 0),
    rules: listOf(from, 'rules', MOST_RULES).map(ruleOf),
    imported: { points: integerIn(imported, 'points'), count: integerIn(imported, 'count', 0) },
    asOf: optionalTime(from, 'asOf'),
  };
  const sum = breakdown.rules.reduce((all, { points }) => all + points, breakdown.imported.points);
  if (Math.max(0, sum) !== breakdown.score) {
    throw new InvalidResponseError('the points do not add up to the score');
  }
  return breakdown;
}

function ruleOf(value: unknown): RuleShare {
  const from = recordOf(value, 'a rule');
  const id = formIn(from, 'id', RULE_ID);
  return {
    id,
    version: integerIn(from, 'version', 0),
    title: optionalText(from, 'title') ?? id,
    points: integerIn(from, 'points'),
    count: integerIn(from, 'count', 0),
    capped: integerIn(from, 'capped', 0),
    decayed: integerIn(from, 'decayed', 0),
    discounted: integerIn(from, 'discounted', 0),
    newest: timeIn(from, 'newest'),
  };
}

export function parseHistory(body: unknown, wallet: Wallet): ScoreHistory {
  const from = recordOf(body, 'the body');
  requireWallet(from, wallet);
  const days = listOf(from, 'days', HISTORY_MAX);
  return { address: wallet.address, days: days.map(dayOf) };
}

function dayOf(value: unknown): ScoreDay {
  const from = recordOf(value, 'a day');
  const day = textIn(from, 'day');
  if (parseDay(day) === undefined) throw new InvalidResponseError('day is not a date');
  return { day, score: integerIn(from, 'score', 0) };
}

export function parseProvenance(body: unknown): Provenance {
  const from = recordOf(body, 'the body');
  return {
    rules: from.rules === null ? null : rulesOf(recordOf(from.rules, 'rules')),
    sources: listOf(from, 'sources', MOST_SOURCES).map(sourceOf),
    asOf: optionalTime(from, 'asOf'),
    digest: formIn(from, 'digest', SHA_256),
  };
}

function rulesOf(from: Fields): NonNullable<Provenance['rules']> {
  return {
    name: textIn(from, 'name'),
    version: integerIn(from, 'version', 0),
    hash: formIn(from, 'hash', SHA_256),
    appliedAt: timeIn(from, 'appliedAt'),
  };
}

function sourceOf(value: unknown): ProvenanceSource {
  const from = recordOf(value, 'a source');
  return {
    id: formIn(from, 'id', SOURCE_ID),
    chain: from.chain === null ? null : formIn(from, 'chain', CHAIN),
    height: integerIn(from, 'height', 0),
    hash: from.hash === null ? null : formIn(from, 'hash', BLOCK_HASH),
    at: optionalTime(from, 'at'),
    ...(from.nodes === 1 && { nodes: 1 as const }),
  };
}

function optionalTime(from: Fields, name: string): string | null {
  return from[name] === null ? null : timeIn(from, name);
}
