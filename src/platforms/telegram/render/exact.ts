/** What Telegram leaves unchanged: printable ASCII without white space at either end. */
const EXACT = /^[!-~](?:[ -~\n]*[!-~])?$/;

/** Whether Telegram shows a text exactly as it is, safe to copy. */
export function isExact(text: string): boolean {
  return EXACT.test(text);
}
