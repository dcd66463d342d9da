import type { Block, Card, CardEntry, Span } from '#command';
import type { Texts } from '#command/texts';
import {
  type Access,
  type AccessState,
  ENTRY,
  type Lacking,
  needsOf,
  type Rule,
  reasonText,
  type Shortfall,
  shortfallText,
} from '#gating';
import { type CommandContext, defineCommand } from './answering/command.ts';
import { linkButton, whyButton } from './shared/card-parts.ts';

const MARKS: Readonly<Record<AccessState['kind'], string>> = {
  have: '✅',
  next: '⏳',
  asked: '⏳',
  passed: '✅',
  later: '⏳',
  pending: '⏳',
  refused: '⚠️',
  missing: '⬜',
  unknown: '❔',
  losing: '⚠️',
  barred: '⛔',
};

/** What the caller can get in a community, rule by rule, and what's missing. */
export const access = defineCommand({
  name: 'access',
  letter: 'm',
  about: (texts) => texts.commands.access.about,
  options: [
    {
      kind: 'choice',
      name: 'check',
      required: false,
      about: (texts) => texts.commands.access.options.check,
      choices: ['now'],
      label: (_, texts) => texts.access.checkNow,
    },
  ],
  isOfCommunity: true,
  private: true,
  async run(context, { check }) {
    const { access: own, thresholds } = context;
    const before = await own.of(thresholds);
    // The platform is asked for only those who may get something.
    if (check === undefined) return accessCard(before, context);
    if (!before.lines.some(isNext)) return checkedCard(before, before, context);
    await own.check();
    return checkedCard(before, await own.of(thresholds), context);
  },
});

/** People who press a button see that it did something, also where nothing has changed. */
function checkedCard(before: Access, after: Access, context: CommandContext): Card {
  const { checked, checkedAndGiven, checkedAndLost, notAllChecked } = context.texts.access;
  const [had, has] = [grantsOf(before), grantsOf(after)];
  const isOpen = after.lines.some(isUnsettled);
  // That nothing has changed is known only where everything is.
  const unchanged = isOpen ? [] : [checked];
  const news = !has.isSubsetOf(had)
    ? [checkedAndGiven]
    : has.size < had.size
      ? [checkedAndLost]
      : unchanged;
  const toast = [...news, ...(isOpen ? [notAllChecked] : [])].join(' ');
  const card = accessCard(after, context);
  const said = { kind: 'text', spans: [{ italic: toast }] } as const;
  return { ...card, toast, blocks: [...card.blocks, said] };
}

/** What a member has, whichever of the rules it's by. */
function grantsOf({ lines }: Access): ReadonlySet<string> {
  const held = lines.filter(({ state }) => state.kind === 'have' || state.kind === 'losing');
  return new Set(held.map(({ rule }) => `${rule.community.id}:${rule.grant}`));
}

/** Entry may wait for the member to ask for it, which isn't a check's fault. */
function isUnsettled({ rule, state }: Access['lines'][number]): boolean {
  if (state.kind === 'next') return rule.grant !== ENTRY;
  return state.kind === 'unknown' || state.kind === 'asked';
}

function isNext({ state }: Access['lines'][number]): boolean {
  return state.kind === 'next' || state.kind === 'asked' || state.kind === 'refused';
}

function accessCard(access: Access, { texts, now }: CommandContext): Card {
  const { lines, wallets, asOf } = access;
  const { access: words } = texts;
  const check = { label: words.checkButton, call: { command: 'access', args: { check: 'now' } } };
  return {
    tone: lines.some(({ state }) => state.kind === 'losing') ? 'warning' : 'plain',
    title: words.title,
    blocks: lines.length === 0 ? noneBlocks(access, texts) : lineBlocks(access, texts, now),
    actions: [
      [
        ...(lines.some(isNext) ? [check] : []),
        linkButton(texts),
        ...(wallets > 0 ? [whyButton(texts)] : []),
      ],
    ],
    menu: undefined,
    footer: asOf === undefined ? [] : [`${texts.dataAsOf} `, { time: asOf, style: 'clock' }],
    private: true,
  };
}

function noneBlocks({ isPaused }: Access, { access: words }: Texts): Block[] {
  return [
    { kind: 'text', spans: [isPaused ? words.paused : words.none] },
    { kind: 'text', spans: [isPaused ? words.pausedNext : words.noneNext] },
  ];
}

function lineBlocks({ lines, wallets }: Access, texts: Texts, now: number): Block[] {
  const entries = lines.map(
    ({ rule, state }): CardEntry => ({
      title: [`${MARKS[state.kind]} `, { bold: nameOf(rule, texts) }, ` · ${needsOf(rule, texts)}`],
      detail: stateSpans(rule, state, texts, now),
    }),
  );
  const { noWallet } = texts.access;
  const notes = wallets < 2 ? [] : countingNotes(lines, texts);
  return [
    ...(wallets === 0 ? [{ kind: 'text' as const, spans: [noWallet] }] : []),
    { kind: 'entries', entries },
    ...notes.map((spans) => ({ kind: 'text' as const, spans })),
  ];
}

/** Whether wallets are added up; where communities differ in that, by the name of each. */
function countingNotes(lines: Access['lines'], texts: Texts): readonly Span[][] {
  const { oneWallet, sumOfWallets } = texts.access;
  const noteOf = ({ walletMode }: Rule) => ({
    italic: walletMode === 'sum' ? sumOfWallets : oneWallet,
  });
  const rules = [...new Map(lines.map(({ rule }) => [rule.community.id, rule])).values()];
  const differ = rules.some(({ walletMode }) => walletMode !== rules[0]?.walletMode);
  if (differ) return rules.map((rule) => [{ bold: nameOf(rule, texts) }, ': ', noteOf(rule)]);
  return rules.slice(0, 1).map((rule) => [noteOf(rule)]);
}

function nameOf({ grant, grantName }: Rule, { access: words, gate }: Texts): string {
  if (grant !== ENTRY) return grantName;
  return grantName === '' ? gate.entry : words.entryTo(grantName);
}

function stateSpans({ grant, chain }: Rule, state: AccessState, texts: Texts, now: number): Span[] {
  const { access: words } = texts;
  const missingOf = (lacking: Lacking) => lackingText(lacking, chain, texts);
  switch (state.kind) {
    case 'have':
      if (state.lacking === undefined) return [words.have];
      return [`${words.haveBut} ${missingOf(state.lacking)}`];
    case 'next':
      return [grant === ENTRY ? words.nextEntry : words.next];
    case 'asked':
      return [words.asked];
    case 'passed':
      return [words.passed];
    case 'later':
      return [words.later];
    case 'pending':
      return [words.pending];
    case 'refused':
      return [words.refused(reasonText(state.code, texts))];
    case 'missing':
      return [missingOf(state.lacking)];
    case 'unknown':
      return [words.unknown[state.why]];
    case 'losing': {
      const due: Span[] =
        state.at > now
          ? [`${words.losing} `, { time: state.at, style: 'clock' }]
          : [words.losingNow];
      if (state.lacking === undefined) return due;
      return [...due, `${words.losingUnless} ${missingOf(state.lacking)}`];
    }
    case 'barred':
      return [words.barred];
  }
}

/** `Missing: 1,810 points to Titan and badge Reef Keeper` */
function lackingText(
  { match, missing, over, isWithoutWallet }: Lacking,
  chain: Rule['chain'],
  texts: Texts,
): string {
  const { access: words, gate, chains } = texts;
  if (isWithoutWallet) {
    return words.missing(chain === undefined ? words.wallet : words.walletOn(chains[chain]));
  }
  const joined = (all: readonly Shortfall[], word: string) =>
    all.map((each) => shortfallText(each, texts)).join(` ${word} `);
  const parts = [
    ...(missing.length === 0
      ? []
      : [words.missing(joined(missing, gate[match === 'all' ? 'and' : 'or']))]),
    ...(over.length === 0 ? [] : [words.over(joined(over, gate.and))]),
  ];
  return parts.join('. ');
}
