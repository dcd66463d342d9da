import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CliArguments, CliContext } from '#cli/command';
import { count } from '#cli/count';
import { NewFile } from '#cli/new-file';
import { type RulesSession, withRules } from '#cli/rules/session';
import { textOption } from '#cli/text-option';
import { UserError } from '#core/errors';
import type { WalletEvents } from '#core/scoring/editions/edition';
import {
  type LookAlikeOptions,
  LookAlikeSearch,
  type LookAlikes,
} from '#core/scoring/sybil/look-alikes';
import { formatTime } from '#core/time';

/** Numbers of wallets that are looked at together. */
const AT_ONCE = 500;
/** Kinds of actions that are named. */
const NAMED = 8;

/** `sybil report` */
export function reportSybils(
  { values, operands: [path] }: CliArguments,
  context: CliContext,
): Promise<number> {
  const options: LookAlikeOptions = {
    withinSeconds: 60 * numberOf(values.minutes, 'minutes', { least: 1, usual: 10 }),
    leastActions: numberOf(values.actions, 'actions', { least: 1, usual: 3 }),
    leastWallets: numberOf(values.wallets, 'wallets', { least: 2, usual: 3 }),
  };
  return withRules(context, async (session) => {
    const file = path === undefined ? undefined : new NewFile(path);
    const write = (text: string) => void (file ?? context.stdout).write(text);
    try {
      const groups = await groupsOf(session, options);
      write('address,group,evidence\n');
      for (const [index, group] of groups.entries()) {
        write(await linesOf(session, group, `group-${index + 1}`));
      }
      file?.finish();
      const wallets = groups.reduce((sum, each) => sum + each.wallets.length, 0);
      context.stderr.write(
        `${count(groups.length)} groups with ${count(wallets)} wallets. Look through them before you use the list.\n`,
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
  const search = new LookAlikeSearch(options, (text) =>
    Number.parseInt(hash('sha256', text).slice(0, 13), 16),
  );
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
  name: string,
): Promise<string> {
  const addresses = new Map<number, string>();
  let first: WalletEvents | undefined;
  for (let from = 0; from < group.wallets.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const numbers = group.wallets.slice(from, from + AT_ONCE);
    for (const each of await store.evidence({ numbers })) {
      addresses.set(each.number, each.wallet.address);
      if (each.number === group.wallets[0]) first = each;
    }
  }
  const evidence = quoted(evidenceText(group, first?.events ?? []));
  return group.wallets
    .flatMap((number) => addresses.get(number) ?? [])
    .map((address) => `${address},${name},${evidence}\n`)
    .join('');
}

/** `4 wallets: voted > donated; 2024-01-15T10:00:00Z to 2024-01-15T12:00:00Z; at most 240 s apart` */
function evidenceText(
  { wallets, from, to, apart }: LookAlikes,
  events: WalletEvents['events'],
): string {
  const ordered = events.toSorted((one, other) => one.time - other.time);
  const names = ordered.slice(0, NAMED).map(({ input }) => input);
  if (ordered.length > NAMED) names.push(`${ordered.length - NAMED} more`);
  return `${wallets.length} wallets: ${names.join(' > ')}; ${formatTime(from)} to ${formatTime(to)}; at most ${apart} s apart`;
}

/** As RFC 4180 has it; it begins with a digit, so no program takes it for a formula. */
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
  throw new UserError('wrong-usage', `--${name} is a whole number from ${least} on.`);
}
