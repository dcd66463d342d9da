import { argumentNames, type Signature } from '#scoring';
import { compileValues } from './decode-event.ts';
import type { EvmLog } from './log.ts';

/** An event as it's stored. */
interface WalletEvent {
  readonly address: string;
  /** Its arguments by name, as JSON. */
  readonly args: string;
}

/**
 * Compiles an event's decoder. The text is the same as JSON.stringify's of an object, whose making takes
 * several times as long.
 * @param wallet the name of the argument with the wallet
 * @returns a function that returns undefined for a log that isn't this event, or names no wallet
 */
export function compileWalletEvent(
  event: Signature,
  wallet: string,
): (log: Pick<EvmLog, 'topics' | 'data'>) => WalletEvent | undefined {
  const valuesOf = compileValues(event);
  const names = argumentNames(event.args);
  const walletPlace = names.indexOf(wallet);
  const parts = event.args.map(({ name, kind }, place) => ({
    place,
    isPlaced: name === undefined,
    start: `${JSON.stringify(names[place])}:`,
    isText: kind === 'text',
  }));
  // As an object has its keys: positions come first.
  const ordered = [
    ...parts.filter(({ isPlaced }) => isPlaced),
    ...parts.filter(({ isPlaced }) => !isPlaced),
  ];
  return (log) => {
    const values = valuesOf(log);
    const address = values?.[walletPlace];
    if (values === undefined || address === undefined) return undefined;
    let text = '';
    for (const { place, start, isText } of ordered) {
      const value = values[place];
      if (value === undefined) continue;
      // All but texts are digits and letters.
      const shown = isText ? JSON.stringify(value) : `"${value}"`;
      text += text === '' ? start + shown : `,${start}${shown}`;
    }
    return { address, args: `{${text}}` };
  };
}
