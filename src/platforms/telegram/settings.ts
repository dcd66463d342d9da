import { botToken, either, type SettingsReader, serverAddress } from '#runtime/settings';

export interface TelegramSettings {
  readonly token: string;
  /** A Bot API server of one's own; Telegram's when undefined. */
  readonly apiUrl: string | undefined;
  /** Where updates are delivered and what proves them, or undefined to poll for them. */
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
}

/**
 * Reads the variables that begin with `TELEGRAM_`.
 * @param webhookPath below PUBLIC_URL
 * @returns undefined when there is no token: the bot is off
 */
export function readSettings(
  { read, fault, publicUrl }: SettingsReader,
  webhookPath: string,
): TelegramSettings | undefined {
  const token = read('TELEGRAM_TOKEN', botToken);
  const apiUrl = read('TELEGRAM_API_URL', serverAddress);
  const mode = read('TELEGRAM_MODE', either('polling', 'webhook')) ?? 'polling';
  const secret = read('TELEGRAM_WEBHOOK_SECRET', webhookSecret);
  if (token === undefined) {
    if (mode === 'webhook') fault('TELEGRAM_MODE: webhook needs TELEGRAM_TOKEN beside it');
    return undefined;
  }
  if (mode === 'polling') return { token, apiUrl, webhook: undefined };
  if (publicUrl?.startsWith('https:') && secret !== undefined) {
    return { token, apiUrl, webhook: { url: publicUrl + webhookPath, secret } };
  }
  fault(
    'TELEGRAM_MODE: webhook needs PUBLIC_URL, an https address, and TELEGRAM_WEBHOOK_SECRET beside it',
  );
  return undefined;
}

/** https://core.telegram.org/bots/api#setwebhook; longer than Telegram asks, for it is all that proves a delivery. */
function webhookSecret(text: string): string {
  if (/^[A-Za-z0-9_-]{16,256}$/.test(text)) return text;
  throw new Error('give 16 to 256 letters, digits, _ or -, chosen at random');
}
