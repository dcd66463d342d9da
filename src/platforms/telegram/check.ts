import { Api } from 'grammy';
import { type CheckFinding, fail, ok } from '#base';
import { within } from '#base/waiting';
import { apiClientOptions } from './connection/client-options.ts';
import { faultOf } from './connection/faults.ts';
import type { TelegramSettings } from './settings.ts';

const PATIENCE_MS = 5_000;

/** As an administrator who lets people in and removes them. Source: https://core.telegram.org/api/links#group-channel-bot-links */
const INVITED_AS = '?startgroup=true&admin=invite_users+restrict_members';

/** Checks the token with `getMe`, the cheapest call that needs one. */
export async function check({ token, apiUrl }: TelegramSettings): Promise<readonly CheckFinding[]> {
  const subject = 'telegram token';
  const api = new Api(token, apiClientOptions(apiUrl));
  const closing = new AbortController();
  try {
    const asked = api.getMe(closing.signal as Parameters<typeof api.getMe>[0]);
    const found = await within(asked, PATIENCE_MS);
    if (found !== undefined) {
      const good = ok(subject, `Telegram accepts the token: @${found.username}`);
      return [{ ...good, invitation: `https://t.me/${found.username}${INVITED_AS}` }];
    }
    const text = `Telegram did not respond within ${PATIENCE_MS / 1000} s. Check the network, and TELEGRAM_API_URL if it is set.`;
    return [fail(subject, text)];
  } catch (error) {
    return [fail(subject, `${faultOf(error).words}.`)];
  } finally {
    closing.abort();
  }
}
