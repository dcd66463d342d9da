import { GrammyError, HttpError } from 'grammy';
import { messageOf } from '#base';

/** Why Telegram is unavailable, and what to do about it. */
export interface Fault {
  /** Faults of the same kind count as one that persists. */
  readonly kind:
    | 'token'
    | 'webhook-set'
    | 'conflict'
    | 'flood'
    | 'server'
    | 'network'
    | 'delivery'
    | 'inbox'
    | 'refused';
  readonly words: string;
  /** Seconds Telegram asks us to wait. */
  readonly retryAfter: number;
}

/** A fault we detected ourselves, without a failed call. */
export class FoundFault extends Error {
  override readonly name = 'FoundFault';
  readonly fault: Fault;

  constructor(kind: Fault['kind'], words: string) {
    super(words);
    this.fault = { kind, words, retryAfter: 0 };
  }
}

/** Explains a failed call. */
export function faultOf(error: unknown): Fault {
  if (error instanceof FoundFault) return error.fault;
  if (error instanceof HttpError) {
    const code = codeOf(error);
    const words =
      code === 'ERR_PROXY_TUNNEL'
        ? "Telegram can't be reached through the proxy: check HTTPS_PROXY, its user and password, and that the proxy lets api.telegram.org through"
        : `Telegram can't be reached (${code}): check the network and, if they're set, TELEGRAM_API_URL, HTTPS_PROXY and HTTP_PROXY`;
    return { kind: 'network', words, retryAfter: 0 };
  }
  if (!(error instanceof GrammyError)) {
    return {
      kind: 'refused',
      words: `Telegram is unavailable: ${messageOf(error)}`,
      retryAfter: 0,
    };
  }
  const retryAfter = error.parameters.retry_after ?? 0;
  return { ...answered(error, retryAfter), retryAfter };
}

function answered(error: GrammyError, retryAfter: number): Omit<Fault, 'retryAfter'> {
  const { error_code: code, description } = error;
  // Malformed tokens get a 404.
  if (code === 401 || code === 404) {
    return {
      kind: 'token',
      words:
        'Telegram rejects the token: copy it again from @BotFather (/mybots, API Token) into TELEGRAM_TOKEN',
    };
  }
  if (code === 409 && /webhook/i.test(description)) {
    return {
      kind: 'webhook-set',
      words:
        'another program has set a webhook for this bot, which prevents polling: delete it (deleteWebhook), or set TELEGRAM_MODE=webhook',
    };
  }
  if (code === 409) {
    return {
      kind: 'conflict',
      words:
        'another process polls with the same token, but Telegram allows only one: stop it, or use a separate bot',
    };
  }
  if (code === 429) {
    return { kind: 'flood', words: `Telegram asks us to wait ${retryAfter} s; no action needed` };
  }
  if (code >= 500) {
    return {
      kind: 'server',
      words: `Telegram has an internal error (${code}); no action needed`,
    };
  }
  return { kind: 'refused', words: `Telegram rejects ${error.method}: ${code} ${description}` };
}

/**
 * Errors caused by users (deleted messages, a removed bot, presses on old buttons) that we can't do
 * anything about.
 */
const EXPECTED = [
  /message is not modified/i,
  /message (?:to edit|to be replied|to reply|thread|can't be edited)/i,
  /message_id_invalid|MESSAGE_AUTHOR_REQUIRED/i,
  /query is too old|query ID is invalid|QUERY_ID_INVALID/i,
  /not enough rights|have no rights|need administrator rights|CHAT_(?:WRITE|SEND\w*)_FORBIDDEN/i,
  /CHAT_RESTRICTED|USER_(?:IS_BLOCKED|BANNED_IN_CHANNEL)|PEER_ID_INVALID/i,
  /TOPIC_(?:CLOSED|DELETED|ID_INVALID)|chat not found|upgraded to a supergroup/i,
];

/** Whether a failed call needs no attention. */
export function isExpected(error: unknown): boolean {
  if (!(error instanceof GrammyError)) return false;
  return error.error_code === 403 || EXPECTED.some((each) => each.test(error.description));
}

/** What Telegram says where a bot may read, but not write: in a closed topic, or a group that takes nothing from it. */
const CLOSED = /TOPIC_CLOSED|CHAT_WRITE_FORBIDDEN|(?:not enough|have no) rights to send/i;

/** Whether the place refuses whatever the bot writes. */
export function isClosed(error: unknown): boolean {
  return error instanceof GrammyError && CLOSED.test(error.description);
}

/** Describes a failed call without its URL (which contains the token) and payload. */
export function describeCall(error: unknown): string {
  if (error instanceof GrammyError) {
    return `${error.method}: ${error.error_code} ${error.description}`;
  }
  return error instanceof HttpError ? `${error.message} (${codeOf(error)})` : messageOf(error);
}

/** What says why a call failed, in short; undefined if it was none. */
export function codeOfCall(error: unknown): string | undefined {
  if (error instanceof GrammyError) return String(error.error_code);
  return error instanceof HttpError ? codeOf(error) : undefined;
}

/** For example `ECONNREFUSED`; never the message, which contains the URL. */
function codeOf(error: HttpError): string {
  const inner = error.error;
  if (typeof inner !== 'object' || inner === null) return 'unknown';
  if ('code' in inner && typeof inner.code === 'string') return inner.code;
  if ('type' in inner && inner.type === 'invalid-json') return 'not a Bot API server';
  if ('type' in inner && inner.type === 'no-redirect') return 'it redirects';
  if ('type' in inner && typeof inner.type === 'string') return inner.type;
  return inner instanceof Error && /timed out/.test(inner.message) ? 'timed out' : 'unknown';
}
