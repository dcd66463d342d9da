import type { Action, Block, Card } from '#core/card';
import type { Finding } from '#core/gating/planner';
import type { RunResult } from '#core/gating/runner';
import type { Texts } from '#core/texts/index';
import { formatTime } from '#core/time';

/** Members that are named in a report; all are in its file. */
const NAMED = 10;

/** What a run came to, for moderators; one that the brake holds asks whether to go on. */
export function runReport({ run, findings, doubt }: RunResult, texts: Texts): Card {
  const { gate, number } = texts;
  const { counts } = run;
  const isHeld = run.status === 'held';
  const facts: Block = {
    kind: 'facts',
    facts: [
      { label: gate.members, value: [number(counts.members)] },
      { label: gate.given, value: [number(counts.given)] },
      { label: gate.taken, value: [number(counts.taken)] },
      { label: gate.warned, value: [number(counts.warned)] },
      ...(counts.refused > 0 ? [{ label: gate.refused, value: [number(counts.refused)] }] : []),
      ...(counts.unknown > 0 ? [{ label: gate.unknown, value: [number(counts.unknown)] }] : []),
    ],
  };
  const blocks: Block[] = [facts];
  if (isHeld) blocks.unshift({ kind: 'text', spans: [gate.heldAbout(number(counts.held))] });
  if (doubt !== undefined) blocks.push({ kind: 'text', spans: [gate.doubts[doubt]] });
  const shown = findings.filter(({ step }) => step === 'take');
  const others = findings.filter(({ step }) => step === 'give' || step === 'warn');
  blocks.push(...namesOf([...shown, ...others].slice(0, NAMED), texts));
  const all = [...shown, ...others];
  const confirm: Action = {
    label: gate.confirmButton,
    call: { command: 'gate', args: { action: 'confirm', rule: run.id } },
  };
  return {
    tone: isHeld || doubt !== undefined ? 'warning' : 'plain',
    title: isHeld ? gate.heldTitle : gate.runTitle,
    blocks,
    actions: isHeld ? [[confirm]] : [],
    menu: undefined,
    footer: [],
    private: false,
    ...(all.length > 0 && { file: { name: `run-${run.id}.csv`, text: csvOf(all) } }),
  };
}

function namesOf(findings: readonly Finding[], { gate }: Texts): Block[] {
  if (findings.length === 0) return [];
  const words = { give: gate.given, take: gate.taken, warn: gate.warned };
  return [
    {
      kind: 'entries',
      entries: findings.map(({ account, rule, step, reason }) => ({
        title: [{ member: account }, ` · ${rule.grantName}`],
        detail: [`${step === undefined ? '' : `${words[step]} · `}${reason}`],
      })),
    },
  ];
}

/** Findings as lines for a spreadsheet. */
export function csvOf(findings: readonly Finding[]): string {
  const rows = findings.map(({ account, rule, step, verdict, grant }) => {
    const record = verdict.answer === 'unknown' ? undefined : verdict.standing?.record;
    const { answer } = verdict;
    return [
      step ?? '',
      account,
      rule.id,
      rule.grantName,
      answer,
      record?.tier ?? '',
      record?.score ?? '',
      record?.rank ?? '',
      grant.dueAt === undefined ? '' : formatTime(grant.dueAt),
    ];
  });
  const head = ['step', 'member', 'rule', 'gets', 'answer', 'tier', 'score', 'rank', 'due'];
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** https://www.rfc-editor.org/rfc/rfc4180; a formula must not run in whoever's spreadsheet opens it. */
function cell(value: string | number): string {
  const text = String(value);
  const inert = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
