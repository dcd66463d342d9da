/**
 * What looks like an address of a chain we know, as a word of its own: Ethereum, Algorand, Solana.
 * Only the look: whether it is one, and what is wrong with it, says who answers.
 */
const LOOKS =
  /(?<![A-Za-z0-9])(?:0x[0-9a-fA-F]{40}|[A-Z2-7]{58}|[1-9A-HJ-NP-Za-km-z]{32,44})(?![A-Za-z0-9])/;

export function firstAddress(text: string): string | undefined {
  return LOOKS.exec(text)?.[0];
}
