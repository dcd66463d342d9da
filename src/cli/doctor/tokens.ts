import type { Config, DiscordConfig, TelegramConfig } from '#app/config';
import { type Finding, fail, ok } from './finding.ts';

/** Within this a platform has answered, or it is of no use just now. */
const PATIENCE_MS = 5_000;

/** Whether the platforms take the tokens, asked with the least that needs one. */
export async function checkTokens({ discord, telegram }: Config): Promise<Finding[]> {
  const checks: Promise<Finding[]>[] = [];
  if (discord !== undefined) checks.push(checkDiscordToken(discord));
  if (telegram !== undefined) checks.push(checkTelegramToken(telegram));
  return (await Promise.all(checks)).flat();
}

async function checkDiscordToken({ token, apiUrl, http }: DiscordConfig): Promise<Finding[]> {
  const subject = 'discord token';
  const { RestSignIn } = await import('#platforms/discord/rest-sign-in');
  const up = Promise.withResolvers<true>();
  const signIn = new RestSignIn({ token, apiUrl, onUp: (isUp) => isUp && up.resolve(true) });
  const late = lateAfter(PATIENCE_MS);
  try {
    const found = await Promise.race([up.promise, signIn.ended, late.promise]);
    if (found === 'late') return [fail(subject, silence('Discord', 'DISCORD_API_URL'))];
    if (found !== true) return [fail(subject, found.detail)];
    const good = ok(subject, `Discord takes it: application ${signIn.applicationId}`);
    if (http === undefined || signIn.verifyKey === http.publicKey) return [good];
    const text = `DISCORD_PUBLIC_KEY is another application's. This one's is ${signIn.verifyKey}.`;
    return [good, fail('discord public key', text)];
  } finally {
    late.cancel();
    await signIn.close();
  }
}

async function checkTelegramToken({ token, apiUrl }: TelegramConfig): Promise<Finding[]> {
  const subject = 'telegram token';
  const [{ Api }, { faultOf }] = await Promise.all([
    import('grammy'),
    import('#platforms/telegram/connection/faults'),
  ]);
  const api = new Api(token, apiUrl === undefined ? {} : { apiRoot: apiUrl });
  const late = lateAfter(PATIENCE_MS);
  const closing = new AbortController();
  try {
    // biome-ignore lint/suspicious/noExplicitAny: grammY names another library's type of a signal.
    const asked = api.getMe(closing.signal as any);
    asked.catch(() => undefined);
    const found = await Promise.race([asked, late.promise]);
    if (found === 'late') return [fail(subject, silence('Telegram', 'TELEGRAM_API_URL'))];
    return [ok(subject, `Telegram takes it: @${found.username}`)];
  } catch (error) {
    return [fail(subject, `${faultOf(error).words}.`)];
  } finally {
    late.cancel();
    closing.abort();
  }
}

function silence(platform: string, variable: string): string {
  return `${platform} did not answer within ${PATIENCE_MS / 1000} s. Check the network, and ${variable} if it is set.`;
}

function lateAfter(milliseconds: number) {
  const { promise, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), milliseconds);
  return { promise, cancel: () => clearTimeout(timer) };
}
