/**
 * A word with the shape of an Ethereum, Algorand or Solana address. The command validates it and
 * explains what's wrong.
 */
const LOOKS =
  /(?<![A-Za-z0-9])(?:0x[0-9a-fA-F]{40}|[A-Z2-7]{58}|[1-9A-HJ-NP-Za-km-z]{32,44})(?![A-Za-z0-9])/;

export function firstAddress(text: string): string | undefined {
  return LOOKS.exec(text)?.[0];
}
