/** 12345 → `12,345`. @param value a whole number */
export function count(value: number): string {
  // Intl would take 25 ms to load, in each command.
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 wallet`, `51,186 wallets` */
export function counted(number: number, one: string, several: string): string {
  return `${count(number)} ${number === 1 ? one : several}`;
}
