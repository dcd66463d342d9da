import { readFileSync } from 'node:fs';
import { sanitizeText, UserError } from '#base';
import type { CliContext } from '#cli/command';
import { counted } from '#cli/format';
import { replaceFile } from '#cli/new-file';
import { waitingFor } from '#cli/progress';
import {
  baseUnits,
  DECIMALS_MAX,
  fitSymbol,
  isSameSymbol,
  parseAmount,
  TokenAmount,
} from '#scoring';
import {
  type AmountDraft,
  amountDrafts,
  amountInYaml,
  sourcesIn,
  withAmounts,
} from '#scoring/rules-file';
import type { TokenUnit } from '#sources';

/**
 * Asks tokens for their decimals, once, and writes amounts in a rules file as people say them, beside their base units.
 * @throws UserError `wrong-usage` for one that can't be completed; nothing is written then
 */
export async function writeAmounts(path: string, context: CliContext): Promise<void> {
  const { env, stderr } = context;
  const text = readFileSync(path, 'utf8');
  const drafts = amountDrafts(text);
  const sources = sourcesIn(text);
  const { tokenUnit } = await import('#sources');
  const asked = new Map<string, Promise<TokenUnit | string | undefined>>();
  const written: { draft: AmountDraft; as: string }[] = [];
  for (const draft of drafts) {
    const { source: id, token, line } = draft;
    const fault = (reason: string) =>
      new UserError('wrong-usage', `${path}:${line} ${draft.text}: ${reason} Nothing was written.`);
    const source = sources.get(id);
    if (source === undefined) throw fault(`"${sanitizeText(id, 40)}" is no source of the file.`);
    const wanted = draft.isBase ? undefined : parseAmount(draft.text)?.symbol;
    const key = [id, token, wanted].join(' ');
    const asking = asked.get(key) ?? tokenUnit(source, token, wanted, (name) => env[name]);
    asked.set(key, asking);
    const unit = await waitingFor(`the nodes of ${id}`, () => asking);
    if (typeof unit === 'string') throw fault(unit);
    const amount = amountOf(draft, unit, token, fault);
    if (amount !== undefined) written.push({ draft, as: amountInYaml(amount) });
  }
  if (written.length === 0) {
    stderr.write('All amounts are complete.\n');
    return;
  }
  replaceFile(path, text, withAmounts(text, written));
  for (const { draft, as } of written) stderr.write(`${path}:${draft.line} ${as}\n`);
  stderr.write(
    `${counted(written.length, 'amount', 'amounts')} written. Tokens name themselves: compare the contract with the project's own pages.\n`,
  );
}

/** @returns undefined if there's nothing to say beside the base units */
function amountOf(
  { text, isBase }: AmountDraft,
  unit: TokenUnit | undefined,
  token: string,
  fault: (reason: string) => UserError,
): TokenAmount | undefined {
  const who = sanitizeText(token, 60);
  if (unit?.decimals === undefined || unit.decimals > DECIMALS_MAX) {
    if (isBase) return undefined;
    const why =
      unit?.decimals === undefined
        ? `${who} doesn't say how many decimals it has.`
        : `${who} says that it has ${unit.decimals} decimals, which no token can have.`;
    throw fault(`${why} Write {amount: ${text}, decimals: N, base: N} yourself.`);
  }
  const { decimals } = unit;
  const symbol = fitSymbol(unit.symbol);
  if (isBase) return decimals === 0 ? undefined : new TokenAmount(BigInt(text), decimals, symbol);
  const said = parseAmount(text);
  if (said === undefined) return undefined;
  if (said.symbol !== undefined && !isSameSymbol(said.symbol, unit.symbol)) {
    const called = sanitizeText(unit.symbol, 40);
    throw fault(
      called === ''
        ? `${who} has no symbol. Leave ${said.symbol} out.`
        : `${who} calls itself "${called}", not ${said.symbol}.`,
    );
  }
  const base = baseUnits(said, decimals);
  if (base === undefined) throw fault(`${who} has ${decimals} decimals, so this is too fine.`);
  return new TokenAmount(base, decimals, symbol ?? said.symbol);
}
