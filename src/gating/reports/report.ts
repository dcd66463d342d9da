import { type Action, type Block, type Card, type CardEntry, noteCard } from '#command';
import type { Texts } from '#command/texts';
import type { AnnounceFailure } from '#gating/announce/mark';
import { figuresIn, reasonOf, shortReason, verdictText } from '#gating/decide/reason';
import type { RuleProblem, RunResult } from '#gating/result';
import { doubtCode, type Implausible } from '#gating/rules/implausible';
import { isUnknownRefusal, unknownCodeIn } from '#gating/rules/refusals';
import {
  type Change,
  isHeldRemoval,
  isOpen,
  memberCount,
  NO_COUNTS,
  type Run,
  type RunCounts,
} from './audit.ts';
import { csvFile } from './spreadsheet.ts';

/** Members named in a report; its file has all of them. */
const NAMED = 10;

/** A run's report to moderators; for a held run, it asks whether to continue. */
export function runReport(result: RunResult, texts: Texts): Card {
  const { run, changes, doubt, shows, problems } = result;
  const { gate, number } = texts;
  const { status, counts } = run;
  const isHeld = status === 'held';
  const blocks: Block[] = [countsBlock(counts, texts)];
  if (isHeld) {
    const losing = memberCount(changes.filter(isHeldRemoval));
    blocks.unshift({ kind: 'text', spans: [gate.heldAbout(number(losing))] });
  }
  if (isOpen(run)) blocks.unshift({ kind: 'text', spans: [gate.waitingAbout] });
  if (shows !== undefined) blocks.push(doubtBlock(shows, texts));
  else if (doubt !== undefined) blocks.push({ kind: 'text', spans: [gate.doubts[doubt]] });
  blocks.push(...blockedBlocks(problems, texts));
  const rows = rowsOf(result, texts);
  if (rows.length > 0) {
    blocks.push({ kind: 'entries', entries: rows.slice(0, NAMED).map(({ entry }) => entry) });
  }
  const confirm: Action = {
    label: gate.confirmButton,
    call: { command: 'gate', args: { action: 'confirm', rule: run.id } },
  };
  const titles = {
    queued: gate.runningTitle,
    held: gate.heldTitle,
    running: gate.runningTitle,
    stopped: gate.stoppedTitle,
  };
  return {
    tone: isHeld || doubt !== undefined || problems.length > 0 ? 'warning' : 'plain',
    title: status === 'finished' || status === 'undone' ? gate.runTitle : titles[status],
    blocks,
    actions: [...(isHeld ? [[confirm]] : []), ...acceptActions(shows, texts)],
    menu: undefined,
    footer: [],
    private: false,
    ...(rows.length > 0 && {
      file: {
        name: `run-${run.id}.csv`,
        text: csvFile(
          HEAD,
          rows.map(({ cells }) => cells),
        ),
      },
    }),
  };
}

/** Combines several checks into one run. */
export function gatheredResult(results: readonly RunResult[], oldest: Run): RunResult {
  const counts: Record<keyof RunCounts, number> = { ...NO_COUNTS };
  for (const key of Object.keys(counts) as (keyof RunCounts)[]) {
    for (const { run } of results) counts[key] += run.counts[key];
  }
  const rules = new Map(results.flatMap((each) => each.rules).map((rule) => [rule.id, rule]));
  const problems = new Map(
    results.flatMap((each) => each.problems).map((each) => [each.rule.id, each]),
  );
  return {
    run: { ...oldest, counts },
    rules: [...rules.values()],
    changes: results.flatMap(({ changes }) => changes),
    warned: results.flatMap(({ warned }) => warned),
    doubt: undefined,
    shows: undefined,
    problems: [...problems.values()],
  };
}

/** A question that others can read too: it names nobody, and its buttons require a moderator. */
export function briefQuestion(kind: 'held' | 'doubt', { gate }: Texts): Card {
  const list = { label: gate.listButton, call: { command: 'gate', args: { action: 'list' } } };
  const text = kind === 'held' ? gate.heldBrief : gate.doubtBrief;
  return { ...noteCard('warning', gate.questionTitle, text), actions: [[list]], private: false };
}

/**
 * Why announcements can't be posted, or may be missing.
 * @param channel undefined where they go to the community itself
 */
export function refusedReport(
  channel: string | undefined,
  refused: AnnounceFailure,
  texts: Texts,
): Card {
  const { announce } = texts;
  const where: Block[] =
    channel === undefined ? [] : [{ kind: 'text', spans: [`${announce.goTo} `, { channel }] }];
  const title = refused === 'answer-lost' ? announce.lostTitle : announce.refusedTitle;
  const note = noteCard('warning', title, postFailureText(refused, texts, '/gate announce'));
  return { ...note, blocks: [...where, ...note.blocks], private: false };
}

/**
 * Why something can't be posted, or may be missing, in a sentence or two.
 * @param command chooses another channel; undefined if that's the one just used
 */
export function postFailureText(
  refused: AnnounceFailure,
  { announce, gate }: Texts,
  command?: '/gate channel' | '/gate announce' | '/gate panel',
): string {
  if (refused === 'answer-lost') return announce.lost;
  if (isUnknownRefusal(refused)) return gate.postRefused(unknownCodeIn(refused) ?? '');
  if (refused !== 'channel-gone') return gate.channelFailed[refused];
  const next = command === undefined ? gate.chooseAnother : gate.chooseAnotherWith(command);
  return `${gate.channelFailed[refused]} ${next}`;
}

/** What's implausible about a source, and what to do about it. */
export function doubtBlock(shows: Implausible, { gate, number }: Texts): Block {
  const text =
    shows.kind === 'contradiction'
      ? gate.doubtful.contradiction
      : shows.kind === 'zeros'
        ? gate.doubtful.zeros
        : gate.doubtful.lost(number(shows.before), number(shows.now), shows.now === 1);
  return { kind: 'text', spans: [text] };
}

/** The button to accept it, if it can be accepted. */
export function acceptActions(shows: Implausible | undefined, { gate }: Texts): Action[][] {
  if (shows === undefined || shows.kind === 'contradiction') return [];
  const call = { command: 'gate', args: { action: 'accept', rule: doubtCode(shows) } };
  return [[{ label: gate.acceptButton, call }]];
}

function countsBlock(counts: RunCounts, { gate, number }: Texts): Block {
  const { members, given, taken, warned, refused, unknown, unsettled } = counts;
  const facts = [
    { label: gate.members, value: [number(members)] },
    { label: gate.given, value: [number(given)] },
    { label: gate.taken, value: [number(taken)] },
    { label: gate.warned, value: [number(warned)] },
    ...(refused > 0 ? [{ label: gate.refused, value: [number(refused)] }] : []),
    ...(unsettled > 0 ? [{ label: gate.unsettled, value: [number(unsettled)] }] : []),
    ...(unknown > 0 ? [{ label: gate.unknown, value: [number(unknown)] }] : []),
  ];
  return { kind: 'facts', facts };
}

/** What prevents rules from working, and what to do about it. */
export function problemBlocks(problems: readonly RuleProblem[], { gate }: Texts): Block[] {
  const said = problems.map(({ rule, blockers, cautions = [] }) => {
    const sentences = [
      ...blockers.map((each) => (each === 'no-role' ? gate.roleGone : gate.blockers[each])),
      ...cautions.map((each) => `⚠ ${gate.cautions[each]}`),
    ];
    return { rule, about: sentences.join(' ') };
  });
  // What prevents a grant prevents all its rules.
  const shared = Map.groupBy(said, ({ rule, about }) => `${rule.grant} ${about}`);
  return [...shared.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    const ids = alike.map(({ rule }) => rule.id).join(', ');
    return [{ kind: 'text', spans: [{ bold: first.rule.grantName }, ` (${ids}): ${first.about}`] }];
  });
}

/** What prevents rules, and how they go on once that's mended. A deleted role stays that. */
export function blockedBlocks(problems: readonly RuleProblem[], texts: Texts): Block[] {
  const isMendable = problems.some(({ blockers }) => blockers.some((each) => each !== 'no-role'));
  const next: Block = { kind: 'text', spans: [texts.gate.mendedNext] };
  return [...problemBlocks(problems, texts), ...(isMendable ? [next] : [])];
}

interface ReportRow {
  readonly entry: CardEntry;
  readonly cells: readonly (string | number)[];
}

const HEAD = ['outcome', 'step', 'member', 'rule', 'gets', 'tier', 'score', 'rank', 'why'];

/** What happened to whom: removals first, made or held, then whatever else is worth reporting. */
function rowsOf({ run, rules, changes, warned: told }: RunResult, texts: Texts): ReportRow[] {
  const { gate } = texts;
  const nameOf = (id: string) => rules.find((rule) => rule.id === id)?.grantName ?? id;
  const isHeld = run.status === 'held';
  const isConfirmed = run.confirmedBy !== undefined;
  const row = (
    outcome: string,
    word: string,
    of: Pick<Change, 'rule' | 'account'>,
    step: string,
    why: string,
    record: ReturnType<typeof figuresIn>,
  ) => {
    return {
      entry: {
        title: [{ member: of.account }, ` · ${nameOf(of.rule)}`],
        detail: [`${word} · ${why}`],
      },
      cells: [
        outcome,
        step,
        of.account,
        of.rule,
        nameOf(of.rule),
        record?.tier ?? '',
        record?.score ?? '',
        record?.rank ?? '',
        why,
      ],
    };
  };
  const words = {
    done: { give: gate.given, take: gate.taken },
    refused: { give: gate.refused, take: gate.refused },
    unknown: { give: gate.unsettled, take: gate.unsettled },
    begun: { give: gate.unsettled, take: gate.unsettled },
    skipped: { give: gate.leftAlone, take: gate.leftAlone },
    planned: { give: gate.leftAlone, take: gate.wouldLose },
  } as const;
  const changed = changes
    // Whoever has confirmed a list reads of all that was on it.
    .filter(({ status, step }) => status !== 'skipped' || (isConfirmed && step === 'take'))
    .filter((change) => change.status !== 'planned' || (isHeld && isHeldRemoval(change)))
    .toSorted((a, b) => Number(a.step === 'give') - Number(b.step === 'give'))
    .map((change) => {
      const { status, step, reason } = change;
      const why = shortReason(reason, texts);
      return row(status, words[status][step], change, step, why, figuresIn(reason));
    });
  const warned = told.map(({ rule, account, verdict, isUntold }) =>
    row(
      'warned',
      isUntold === true ? gate.warnedUntold : gate.warned,
      { rule: rule.id, account },
      '',
      verdictText(verdict, texts),
      figuresIn(reasonOf({ rule, verdict })),
    ),
  );
  return [...changed, ...warned];
}
