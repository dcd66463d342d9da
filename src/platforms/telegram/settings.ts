import { botToken, either, type SettingsReader, serverAddress } from '#base/process';

export interface TelegramSettings {
  readonly token: string;
  /** A self-hosted Bot API server; undefined for Telegram's. */
  readonly apiUrl: string | undefined;
  /** Whether PUBLIC_URL is set, so that Telegram can fetch pictures. */
  readonly hasPublicUrl: boolean;
  /** Where Telegram delivers updates, and the secret that authenticates them; undefined to poll. */
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
}

/**
 * Reads the variables that begin with `TELEGRAM_`.
 * @param webhookPath below PUBLIC_URL
 * @returns undefined without a token: the bot is off
 */
export function readSettings(
  { read, fault, publicUrl }: SettingsReader,
  webhookPath: string,
): TelegramSettings | undefined {
  const token = read('TELEGRAM_TOKEN', botToken);
  const apiUrl = read('TELEGRAM_API_URL', serverAddress);
  const mode = read('TELEGRAM_MODE', either('polling', 'webhook')) ?? 'polling';
  const secret = read('TELEGRAM_WEBHOOK_SECRET', webhookSecret);
  const hasPublicUrl = publicUrl !== undefined;
  if (token === undefined) {
    if (mode === 'webhook') fault('TELEGRAM_MODE: webhook also needs TELEGRAM_TOKEN');
    return undefined;
  }
  if (mode === 'polling') return { token, apiUrl, hasPublicUrl, webhook: undefined };
  if (publicUrl?.startsWith('https:') && secret !== undefined) {
    return { token, apiUrl, hasPublicUrl, webhook: { url: publicUrl + webhookPath, secret } };
  }
  fault(
    'TELEGRAM_MODE: webhook also needs PUBLIC_URL, an https address, and TELEGRAM_WEBHOOK_SECRET',
  );
  return undefined;
}

/** https://core.telegram.org/bots/api#setwebhook; longer than Telegram requires, as nothing else authenticates a delivery. */
function webhookSecret(text: string): string {
  if (/^[A-Za-z0-9_-]{16,256}$/.test(text)) return text;
  throw new Error('must be 16 to 256 random letters, digits, _ or -');
}
