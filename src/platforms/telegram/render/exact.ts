/** What Telegram keeps as it is: printable ASCII, with nothing at its ends that it takes away. */
const EXACT = /^[!-~](?:[ -~\n]*[!-~])?$/;

/** Whether a text would be given to be copied exactly. */
export function isExact(text: string): boolean {
  return EXACT.test(text);
}
