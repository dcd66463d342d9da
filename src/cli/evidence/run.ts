import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { dateOf, formatTime, monotonicMs, type RetryOptions, UserError, wallSeconds } from '#base';
import { sleep } from '#base/waiting';
import { type CliArguments, type CliContext, textOption } from '#cli/command';
import { count, counted } from '#cli/format';
import { findInputs, type InputFile } from '#cli/import/inputs';
import { NewFile } from '#cli/new-file';
import { listenForInterrupt, lowerPriority } from '#cli/process';
import { createProgress, waitingFor } from '#cli/progress';
import { type RulesSession, withRules } from '#cli/rules/session';
import { openStoreOf, requireDatabase, requireExisting } from '#cli/store';
import { type InputLine, importLines, type LineSpool } from '#import';
import { type LookAlikeOptions, LookAlikeSearch, type LookAlikes } from '#scoring';
import { ProofFault } from '#scoring/proof';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { type ComparedEvidence, compareWithChains, parseShare } from './against-chain.ts';
import { evidenceCounts, type VerifiedEvidence, verifyEvidence } from './proof-file.ts';

/** Imports one line that retracts an event, or lets it count again. */
export async function retractEvent(
  { values, operands }: CliArguments,
  context: CliContext,
): Promise<number> {
  const [address = '', event = '', source = ''] = operands;
  const reason = textOption(values.reason, 'reason');
  if (reason === undefined) {
    throw new UserError('wrong-usage', 'Add --reason TEXT: members see why.');
  }
  const isUndone = values.undo === true;
  const kind = isUndone ? 'restoration' : 'retraction';
  const timestamp = formatTime(wallSeconds());
  const text = JSON.stringify({ kind, address, event, source, timestamp, reason });
  const refusals: string[] = [];
  const config = requireDatabase(context, 'A retraction');
  await requireExisting(config);
  const store = await openStoreOf(config, context);
  try {
    const work = () =>
      importLines({
        input: lines([{ file: 'retraction', number: 1, text }]),
        writer: store.openWriter(),
        spool: memorySpool(),
        corrections: memorySpool(),
        wallets: createWalletParser(chains),
        now: wallSeconds,
        sha256Hex: (each) => hash('sha256', each, 'hex'),
        retry: retriesSaidOn(context.stderr),
        onRefused: (_, refusal) => refusals.push(refusal.reason),
      });
    await waitingFor('the database', work);
  } finally {
    await store.close();
  }
  if (refusals.length > 0) {
    context.stderr.write(`${refusals.join('\n')}\n`);
    return 1;
  }
  const outcome = isUndone ? 'It counts again.' : 'From now on, it gives nothing.';
  context.stderr.write(`${outcome} The running service shows it within seconds.\n`);
  return 0;
}

/** Somebody waits for it: longer than a batch of an import that runs beside, no longer than they would guess. */
const RETRACTING_MS = 10_000;

/** Retries that say why they wait, once for each reason. */
function retriesSaidOn(stderr: CliContext['stderr']): RetryOptions {
  let said: string | undefined;
  return {
    ...{ deadlineMs: RETRACTING_MS, monotonicMs, sleep },
    advice: "Once that's fixed, run the same command again.",
    onWait({ message }) {
      if (message !== said) stderr.write(`${message} Trying again for a few seconds.\n`);
      said = message;
    },
  };
}

async function* lines(all: readonly InputLine[]): AsyncGenerator<readonly InputLine[]> {
  yield all;
}

/** One line needs no file. */
function memorySpool(): LineSpool {
  const kept: InputLine[] = [];
  return { push: (line) => void kept.push(line), drain: () => lines(kept) };
}

/** Wallet numbers per page. */
const AT_ONCE = 500;
/** How many kinds of actions to name. */
const NAMED = 8;

/** `sybil report` */
export function reportSybils(
  { values, operands: [path] }: CliArguments,
  context: CliContext,
): Promise<number> {
  const options: LookAlikeOptions = {
    withinSeconds: 60 * numberOf(values.minutes, 'minutes', { least: 1, usual: 10 }),
    leastActions: numberOf(values.actions, 'actions', { least: 1, usual: 3 }),
    leastRun: numberOf(values.run, 'run', { least: 2, usual: 6 }),
    leastWallets: numberOf(values.wallets, 'wallets', { least: 2, usual: 3 }),
  };
  lowerPriority();
  return withRules(context, async (session) => {
    const file = path === undefined ? undefined : new NewFile(path);
    const write = (text: string) => void (file ?? context.stdout).write(text);
    try {
      const groups = await groupsOf(session, options);
      write('address,group,evidence\n');
      // Each wallet is listed in its first group only: wallets that share several runs are in many.
      const wallets = new Set<number>();
      for (const [index, group] of groups.entries()) {
        const added = group.wallets.filter((wallet) => !wallets.has(wallet));
        for (const wallet of added) wallets.add(wallet);
        write(await linesOf(session, group, added, `group-${index + 1}`));
      }
      file?.finish();
      context.stderr.write(
        groups.length === 0
          ? 'No wallets act alike.\n'
          : `${counted(groups.length, 'group', 'groups')} with ${counted(wallets.size, 'wallet', 'wallets')}. Review them before you use the list.\n`,
      );
      return 0;
    } finally {
      file?.close();
    }
  });
}

async function groupsOf(
  { store, signal, progress }: RulesSession,
  options: LookAlikeOptions,
): Promise<LookAlikes[]> {
  const search = new LookAlikeSearch(options);
  const all = await store.highestWallet();
  const onProgress = progress('Looking');
  for (let from = 0; from < all; from += AT_ONCE) {
    signal.throwIfAborted();
    for (const each of await store.evidence({ from, to: from + AT_ONCE })) search.add(each);
    onProgress({ done: Math.min(all, from + AT_ONCE), all });
    await nextTurn();
  }
  return search.groups();
}

async function linesOf(
  { store, signal }: RulesSession,
  group: LookAlikes,
  wallets: readonly number[],
  name: string,
): Promise<string> {
  const addresses = new Map<number, string>();
  for (let from = 0; from < wallets.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const numbers = wallets.slice(from, from + AT_ONCE);
    for (const each of await store.evidence({ numbers })) {
      addresses.set(each.number, each.wallet.address);
    }
  }
  const evidence = quoted(evidenceText(group));
  return wallets
    .flatMap((number) => addresses.get(number) ?? [])
    .map((address) => `${address},${name},${evidence}\n`)
    .join('');
}

/**
 * `4 wallets: voted > donated; 2024-01-15T10:00:00Z to 2024-01-15T12:00:00Z; at most 240 s apart`, or `4
 * wallets, 7 actions in a row: …` if they did other things, too
 */
function evidenceText({ wallets, actions, isAll, from, to, apart }: LookAlikes): string {
  const names = actions.slice(0, NAMED);
  if (actions.length > NAMED) names.push(`${actions.length - NAMED} more`);
  const inRow = isAll ? '' : `, ${actions.length} actions in a row`;
  return `${wallets.length} wallets${inRow}: ${names.join(' > ')}; ${formatTime(from)} to ${formatTime(to)}; at most ${apart} s apart`;
}

/** Quoted by RFC 4180. It starts with a digit, so no program takes it for a formula. */
function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** @throws UserError `wrong-usage` */
function numberOf(
  value: string | boolean | undefined,
  name: string,
  { least, usual }: { readonly least: number; readonly usual: number },
): number {
  const text = textOption(value, name);
  if (text === undefined) return usual;
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UserError('wrong-usage', `--${name} must be a whole number of at least ${least}.`);
}

/** A source was unavailable, so the comparison is incomplete. */
const INCOMPLETE = 3;

/** `evidence verify` */
export async function verifyFile(
  { operands: [path = ''], values }: CliArguments,
  context: CliContext,
): Promise<number> {
  const given = values['against-chain'];
  const share = typeof given === 'string' ? parseShare(given) : undefined;
  lowerPriority();
  const interruption = listenForInterrupt(() => context.stderr.write('Stopping.\n'));
  try {
    return await verify(path, share, context, interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) return interruption.exitCode();
    if (!(error instanceof ProofFault)) throw error;
    context.stderr.write(`${path} doesn't hold. ${error.message}\n`);
    return 1;
  } finally {
    interruption.dispose();
  }
}

async function verify(
  path: string,
  share: number | undefined,
  context: CliContext,
  signal: AbortSignal,
): Promise<number> {
  const inputs = findInputs([path], share !== undefined);
  const { stderr, stdout } = context;
  const progress = createProgress({
    ...{ label: 'Verifying', totalBytes: inputs.totalBytes, stream: stderr },
    monotonicMs: () => performance.now(),
  });
  try {
    const chunks = inputs.files[0]?.open() ?? [];
    const onProgress = (at: { bytes: number; lines: number }) => progress.update(at);
    const verified = await verifyEvidence(chunks, { signal, onProgress });
    progress.end();
    const { end, subject } = verified;
    const { rules, asOf } = subject;
    stdout.write(
      `${path} is valid: every score follows from its evidence.\n${rules.name}, version ${rules.version}, as of ${dateOf(asOf)}\nrules  ${rules.hash}\ndigest ${end.digest}\n${evidenceCounts(end)}\n`,
    );
    if (share === undefined) return 0;
    const again = () => chunksOf(inputs.again());
    const compared = await waitingFor('the nodes of its sources', () =>
      compare(verified, share, again, context, signal),
    );
    stdout.write(textOf(compared));
    return compared.unasked.length === 0 ? 0 : INCOMPLETE;
  } finally {
    progress.end();
    inputs.close();
  }
}

function chunksOf([file]: readonly InputFile[]): AsyncIterable<Uint8Array> {
  if (file === undefined) throw new UserError('wrong-usage', "There's no file to compare.");
  return file.open();
}

function compare(
  { subject }: VerifiedEvidence,
  share: number,
  chunks: () => AsyncIterable<Uint8Array>,
  { env, stderr }: CliContext,
  signal: AbortSignal,
): Promise<ComparedEvidence> {
  let told = -1;
  return compareWithChains({
    ...{ subject, share, chunks, signal, random: Math.random },
    variable: (name) => env[name],
    onProgress(source, { done, all }) {
      const percent = Math.floor((100 * done) / all);
      if (percent === told) return;
      told = percent;
      stderr.write(`Reading ${source}: ${percent}%\n`);
    },
  });
}

function textOf({ asked, compared, unused, unasked }: ComparedEvidence): string {
  const lines = asked.map(({ id, nodes, heights }) => {
    const single = nodes === 1 ? ' (a single node: missing events would go unnoticed)' : '';
    return `${id}: ${counted(heights, 'height', 'heights')} read again${single}`;
  });
  if (asked.length > 0) {
    lines.push(
      compared === 1
        ? 'The event that the file has there matches the chains.'
        : `The ${count(compared)} events that the file has there match the chains.`,
    );
  }
  if (unused > 0) {
    lines.push(
      `Not checked: ${counted(unused, 'event', 'events')} that no rule uses, which only ${unused === 1 ? 'counts' : 'count'} for when a wallet was first seen.`,
    );
  }
  lines.push(...unasked.map(({ id, words }) => `${id}: not checked. ${words}`));
  lines.push(
    'Imported events and activities can’t be checked on a chain; balances weren’t checked.',
  );
  return `${lines.join('\n')}\n`;
}
