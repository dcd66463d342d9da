import { formatTime, truncate } from '#base';
import type { Span } from '#command';
import { optionName, type Texts } from '#command/texts';
import type { RuleBlocker } from '#gating/community-adapter';
import { graceText, needsOf } from '#gating/rules/describe';
import { isPlatformRefusal, unknownCodeIn } from '#gating/rules/refusals';
import { ENTRY, type Rule } from '#gating/rules/rule';
import type { Finding } from '#gating/runs/planner';
import type { Tier } from '#reputation';
import type { WalletMode } from './counted-wallets.ts';
import type { AskedBadge, UnknownReason, Verdict } from './verdict.ts';

/**
 * Why a planned change was skipped: the audit log has the code, the catalogue a sentence for it. If
 * a reading is the reason, that reading's reason stands instead.
 */
const SKIPS = [
  /** They already have it, from whomever. */
  'has-already',
  /** Someone else removed it meanwhile. */
  'gone',
  'left',
  /** An owner, administrator or manager. */
  'spared',
  'protected',
  /** A moderator has barred them from it. */
  'barred',
  /** They haven't passed the community's membership screening yet. */
  'pending',
  /** Granted or removed by someone else since the run that's being undone. */
  'changed-since',
  /** Nobody can be added to a group: they have to request to join. */
  'needs-invitation',
  /** Their join request was withdrawn, or answered by someone else. */
  'no-request',
  /** The role that replaces it, or that it replaces, isn't there. */
  'other-missing',
  /** It takes three negative readings again: after an edit, a recovery, or a day off. */
  'not-due',
  'rule-paused',
  'rule-removed',
  'rule-changed',
  'stopped',
  /** It was sent without a response, and turned out not to have been made. */
  'not-done',
  /** The platform didn't respond for so long that the run ended without it. */
  'no-answer',
] as const;

export type Skip = (typeof SKIPS)[number];

function isSkip(detail: string): detail is Skip {
  return (SKIPS as readonly string[]).includes(detail);
}

/**
 * Figures that decide whether a rule is met. They name no wallet: its owner decides who sees it.
 */
type Figures =
  | {
      readonly tier: Tier;
      readonly score: number;
      /** Not every source can tell that of a sum. */
      readonly rank?: number;
      /** Those that the rule asks for; earlier versions kept none. */
      readonly badges?: readonly AskedBadge[];
    }
  | 'none-counts'
  | 'never-seen';

/** Why something was done: stored as data, shown in the reader's language. */
export type Reason =
  | {
      readonly code: 'met' | 'not-met';
      readonly rule: string;
      readonly figures: Figures;
      /** Seconds since 1970 of the data. */
      readonly asOf?: number;
    }
  | { readonly code: 'not-known'; readonly rule: string; readonly why: UnknownReason }
  | { readonly code: 'undo'; readonly run: string }
  | { readonly code: 'too-many'; readonly taken: number; readonly holders: number }
  /** They have a higher role of the ladder now. */
  | { readonly code: 'risen'; readonly name: string }
  | { readonly code: 'language'; readonly choice: string }
  | { readonly code: 'wallets'; readonly mode: WalletMode }
  | { readonly code: 'erased' }
  | { readonly code: 'no-channel' }
  /** What a bar is about; the name as of then, empty for everything. */
  | { readonly code: 'bar'; readonly grant: string; readonly name: string }
  /** What prevents a rule from working. */
  | { readonly code: 'obstacles'; readonly obstacles: readonly RuleBlocker[] }
  /** What a rule grants and asks for; earlier versions kept no name. */
  | ({ readonly code: 'needs'; readonly name?: string } & KeptNeeds)
  /** The same of one that was changed: before and after. Earlier versions kept `needs` alone. */
  | { readonly code: 'edit'; readonly name: string; readonly was: KeptRule; readonly is: KeptRule };

type KeptNeeds = Pick<Rule, 'requirements' | 'match' | 'chain' | 'bounds'>;
type KeptRule = KeptNeeds & Pick<Rule, 'graceSeconds' | 'exclusive' | 'isHidden'>;

/** As stored in the audit log and in changes; `reasonText` reads it. */
export function keptReason(reason: Reason): string {
  return JSON.stringify(reason);
}

/** Why a rule is met or not, as stored. */
export function reasonOf({ rule, verdict }: Pick<Finding, 'rule' | 'verdict'>): string {
  if (verdict.answer === 'unknown') {
    return keptReason({ code: 'not-known', rule: rule.id, why: verdict.why });
  }
  const { answer, asOf } = verdict;
  const code = answer === 'meets' ? 'met' : 'not-met';
  const figures = figuresOf(verdict);
  return keptReason({ code, rule: rule.id, figures, ...(asOf !== undefined && { asOf }) });
}

/** Figures only: the owner decides who sees the wallet. */
export function verdictText(verdict: Verdict, texts: Texts): string {
  return verdict.answer === 'unknown'
    ? texts.gate.unknownNow
    : figuresText(figuresOf(verdict), texts, texts.number);
}

/**
 * An audit row's detail, or a change's reason, in words: a reason from `keptReason`, the code of a
 * skip or an outcome, or text from an older version.
 */
export function reasonText(detail: string, texts: Texts): string {
  const { gate, number } = texts;
  if (isSkip(detail)) return gate.skips[detail];
  if (isPlatformRefusal(detail)) return gate.refusals[detail];
  const unknown = unknownCodeIn(detail);
  if (unknown !== undefined) return gate.refusedWith(unknown);
  const reason = reasonIn(detail);
  switch (reason?.code) {
    case undefined:
      return detail;
    case 'met':
    case 'not-met': {
      // Plain digits, for searching the platform's log.
      const figures = figuresText(reason.figures, texts, String);
      const what =
        reason.asOf === undefined ? figures : `${figures}, ${gate.dataOf(formatTime(reason.asOf))}`;
      return reason.code === 'met' ? gate.met(reason.rule, what) : gate.notMet(reason.rule, what);
    }
    case 'not-known':
      return gate.notKnown(reason.rule, gate.unknowns[reason.why]);
    case 'undo':
      return gate.undoOf(reason.run);
    case 'too-many':
      return gate.heldDetail(number(reason.taken), number(reason.holders));
    case 'risen':
      return gate.risen(reason.name);
    case 'wallets':
      // Another version may know others.
      return gate.walletModes[reason.mode] ?? reason.mode;
    case 'language':
      return languageName(reason.choice, texts);
    case 'erased':
      return gate.erased;
    case 'no-channel':
      return gate.noChannel;
    case 'bar':
      if (reason.name !== '') return reason.name;
      return reason.grant === ENTRY ? gate.entry : gate.everything;
    case 'obstacles':
      // Another version may know others.
      return reason.obstacles.map((each) => gate.blockers[each] ?? each).join(' ');
    case 'needs': {
      const { name = '' } = reason;
      const needs = needsOf(reason, texts);
      return name === '' ? needs : `${name}: ${needs}`;
    }
    case 'edit':
      return `${reason.name}: ${changesOf(reason.was, reason.is, texts).join(' · ')}`;
  }
}

/** What an edit has changed, as it was and as it is: `24 h of grace → no grace`. */
function changesOf(was: KeptRule, is: KeptRule, texts: Texts): readonly string[] {
  const { yesNo, match } = texts.gate;
  const now = { ...is, hidden: is.isHidden === true };
  const before = { ...was, hidden: was.isHidden === true };
  const needs = [before, now].map((each) => needsOf(each, texts));
  const pairs = [
    // Of one requirement, all and any read the same.
    needs[0] === needs[1]
      ? [`${optionName(texts, 'match')}: `, match[before.match], match[now.match]]
      : ['', ...needs],
    ['', graceText(before, texts), graceText(now, texts)],
    ...(['exclusive', 'hidden'] as const).map((flag) => {
      const [from, to] = [before, now].map((each) => yesNo[each[flag] ? 'yes' : 'no']);
      return [`${optionName(texts, flag)}: `, from, to];
    }),
  ];
  return pairs.flatMap(([name, from, to]) => (from === to ? [] : `${name}${from} → ${to}`));
}

/** The same for a card: with the language's numbers, and the time of the data in the reader's zone. */
export function reasonSpans(detail: string, texts: Texts): readonly Span[] {
  const { gate, number, dataAsOf } = texts;
  const reason = reasonIn(detail);
  if (reason?.code !== 'met' && reason?.code !== 'not-met') return [reasonText(detail, texts)];
  const { code, rule, asOf } = reason;
  const figures = figuresText(reason.figures, texts, number);
  const words = code === 'met' ? gate.met(rule, figures) : gate.notMet(rule, figures);
  return asOf === undefined ? [words] : [`${words} · ${dataAsOf} `, { time: asOf, style: 'clock' }];
}

/** Whether a reason names the rule that decided. */
export function isOfRule(detail: string): boolean {
  const reason = reasonIn(detail);
  return reason !== undefined && 'rule' in reason;
}

/** Whether it certainly says nothing about a member's wallets; texts from older versions may. */
export function isWithoutFigures(detail: string): boolean {
  if (isSkip(detail) || isPlatformRefusal(detail) || unknownCodeIn(detail) !== undefined)
    return true;
  const reason = reasonIn(detail);
  return reason !== undefined && !('figures' in reason);
}

/** The figures behind a decision; undefined if there are none. */
export function figuresIn(detail: string): Exclude<Figures, string> | undefined {
  const reason = reasonIn(detail);
  const figures = reason !== undefined && 'figures' in reason ? reason.figures : undefined;
  return typeof figures === 'object' ? figures : undefined;
}

/** Like `reasonText`, but only the figures of a reading. */
export function shortReason(detail: string, texts: Texts): string {
  const figures = figuresIn(detail);
  return figures === undefined
    ? reasonText(detail, texts)
    : figuresText(figures, texts, texts.number);
}

/** For the platform's own audit log, in the community's language: at most 200 characters. */
export function platformReason(detail: string, texts: Texts): string {
  return truncate(reasonText(detail, texts), 200);
}

/** Our own data, though perhaps from another version. */
function reasonIn(detail: string): Reason | undefined {
  if (!detail.startsWith('{')) return undefined;
  try {
    const reason = JSON.parse(detail) as Reason;
    return Object.hasOwn(CODES, reason.code) ? reason : undefined;
  } catch {
    return undefined;
  }
}

const CODES: Readonly<Record<Reason['code'], true>> = {
  met: true,
  'not-met': true,
  'not-known': true,
  undo: true,
  'too-many': true,
  risen: true,
  language: true,
  wallets: true,
  erased: true,
  'no-channel': true,
  bar: true,
  obstacles: true,
  needs: true,
  edit: true,
};

/** A language as the reader calls it; another version may know others. */
export function languageName(choice: string, { gate }: Texts): string {
  const names: Readonly<Record<string, string>> = gate.languages;
  return Object.hasOwn(names, choice) ? (names[choice] ?? choice) : choice;
}

function figuresOf({ standing, badges }: Exclude<Verdict, { answer: 'unknown' }>): Figures {
  if (standing === undefined) return 'none-counts';
  const { record } = standing;
  if (record === undefined) return 'never-seen';
  const { tier, score, rank } = record;
  return { tier, score, ...(rank !== undefined && { rank }), ...(badges && { badges }) };
}

function figuresText(
  figures: Figures,
  { gate, tiers, points }: Texts,
  number: (value: number) => string,
): string {
  if (figures === 'none-counts') return gate.noneCounts;
  if (figures === 'never-seen') return gate.neverSeen;
  const { tier, score, rank, badges = [] } = figures;
  const shown = points(score, number(score));
  const ranked =
    rank === undefined
      ? gate.figuresUnranked(tiers[tier], shown)
      : gate.figures(tiers[tier], shown, number(rank));
  const asked = badges.map(({ name, isHeld }) =>
    isHeld ? gate.withBadge(name) : gate.withoutBadge(name),
  );
  return [ranked, ...asked].join(', ');
}
