/** At most as many digits as a uint256 has. */
const DECIMAL = /^(0|[1-9]\d{0,77})(\.\d{1,77})?$/;

/** Whether a text is an amount as people write it: `10`, `0.5`. */
export function isDecimalAmount(text: string): boolean {
  return DECIMAL.test(text) && /[1-9]/.test(text);
}

/**
 * `0.5` of a token with 18 decimals → `500000000000000000`.
 * @returns undefined if it has more decimals than the token
 */
export function inBaseUnits(amount: string, decimals: number): string | undefined {
  const [whole = '0', fraction = ''] = amount.split('.');
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > decimals) return undefined;
  return String(BigInt(whole + digits.padEnd(decimals, '0')));
}

/** `-500000000000000000` of a token with 18 decimals → `-0.5`. */
export function fromBaseUnits(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
