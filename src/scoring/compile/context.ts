import { parseDay, UserError } from '#base';
import { type FileFaults, quoted } from '#scoring/faults';
import type { Source, Start } from '#scoring/model';
import { type Signature, SignatureFault, type SignatureOptions } from '#scoring/signature';
import { SOURCE_KINDS, type SourceKind } from '#scoring/source-kind';
import type { Path } from '#scoring/tree';
import type { Wallet, WalletParser } from '#wallet';

/** What the parts of a rules file are checked against. */
export interface BuildContext {
  readonly faults: FileFaults;
  readonly wallets: WalletParser;
  readonly sources: ReadonlyMap<string, Source>;
  /** The most points per event, positive or negative. */
  readonly pointsMax: bigint;
  /** For rules accepted earlier. */
  readonly isKept: boolean;
}

/**
 * Parses an address into its canonical form. @returns undefined if invalid, which is recorded as a
 * fault
 */
export function readWallet(
  { faults, wallets }: BuildContext,
  path: Path,
  text: string,
  kind?: SourceKind,
): Wallet | undefined {
  try {
    return wallets.parse(text, kind === undefined ? undefined : SOURCE_KINDS[kind].wallets);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    faults.at(path, `${quoted(text)}: ${error.message}`);
    return undefined;
  }
}

/** Parses a list of addresses, each with its own fault. */
export function readWallets(
  context: BuildContext,
  path: Path,
  texts: readonly string[],
  kind?: SourceKind,
): Wallet[] {
  return texts.flatMap((text, index) => {
    const wallet = readWallet(context, [...path, index], text, kind);
    return wallet === undefined ? [] : [wallet];
  });
}

/** Parses a signature. @returns undefined if invalid, which is recorded as a fault */
export function readSignature(
  { faults, isKept }: BuildContext,
  path: Path,
  text: string,
  parse: (text: string, options: SignatureOptions) => Signature,
): Signature | undefined {
  try {
    return parse(text, { isKept });
  } catch (error) {
    if (!(error instanceof SignatureFault)) throw error;
    faults.at(path, `Can't read the signature: ${error.message}.`);
    return undefined;
  }
}

/** Parses where reading begins. The shape was checked before. */
export function readStart({ faults }: BuildContext, path: Path, text: string): Start {
  if (!text.includes('-')) return { kind: 'height', height: BigInt(text) };
  const day = parseDay(text);
  if (day === undefined) faults.at(path, `Not a valid date: ${quoted(text)}.`);
  return { kind: 'day', day: day ?? 0 };
}
