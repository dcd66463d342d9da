import type { Account } from '#core/links/account';
import type { LinkRequest, RequestWay } from '#core/links/requests';
import type { Row } from './rows.ts';

/** What has no column of its own. */
type Body = Pick<LinkRequest, 'name' | 'challengesLeft' | 'challenge' | 'proved'>;

export function bodyText({ name, challengesLeft, challenge, proved }: LinkRequest): string {
  return JSON.stringify({ name, challengesLeft, challenge, proved } satisfies Body);
}

export function requestOf(row: Row): LinkRequest {
  const { name, challengesLeft, challenge, proved } = JSON.parse(String(row.body)) as Body;
  return {
    id: String(row.id),
    version: Number(row.version),
    account: { platform: String(row.platform) as Account['platform'], id: String(row.account) },
    name,
    way: String(row.way) as RequestWay,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    ticket: row.ticket === null ? undefined : String(row.ticket),
    session: row.session === null ? undefined : String(row.session),
    challengesLeft,
    challenge,
    proved,
  };
}
