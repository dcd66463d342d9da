import { GrammyError, HttpError } from 'grammy';
import { messageOf } from '#core/errors';

/** Why Telegram can't be used, in words that say what to do. */
export interface Fault {
  /** Two faults of one kind are the same fault, still there. */
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
  /** Seconds that Telegram asks to wait. */
  readonly retryAfter: number;
}

/** A fault that was found out by asking, not by a call that failed. */
export class FoundFault extends Error {
  override readonly name = 'FoundFault';
  readonly fault: Fault;

  constructor(kind: Fault['kind'], words: string) {
    super(words);
    this.fault = { kind, words, retryAfter: 0 };
  }
}

/** What is wrong when a call that must work does not. */
export function faultOf(error: unknown): Fault {
  if (error instanceof FoundFault) return error.fault;
  if (error instanceof HttpError) {
    const words = `Telegram can't be reached (${codeOf(error)}): check the network, and TELEGRAM_API_URL if it is set`;
    return { kind: 'network', words, retryAfter: 0 };
  }
  if (!(error instanceof GrammyError)) {
    return { kind: 'refused', words: `Telegram can't be used: ${messageOf(error)}`, retryAfter: 0 };
  }
  const retryAfter = error.parameters.retry_after ?? 0;
  return { ...answered(error, retryAfter), retryAfter };
}

function answered(error: GrammyError, retryAfter: number): Omit<Fault, 'retryAfter'> {
  const { error_code: code, description } = error;
  // 404 is what a token gets that is none at all.
  if (code === 401 || code === 404) {
    return {
      kind: 'token',
      words:
        'Telegram refuses the token: copy it again from @BotFather (/mybots, API Token) into TELEGRAM_TOKEN',
    };
  }
  if (code === 409 && /webhook/i.test(description)) {
    return {
      kind: 'webhook-set',
      words:
        'another program has set a webhook for this bot, which keeps it from polling: take that away (deleteWebhook), or set TELEGRAM_MODE=webhook',
    };
  }
  if (code === 409) {
    return {
      kind: 'conflict',
      words:
        'another process polls with the same token, and Telegram lets only one: stop it, or give this one a bot of its own',
    };
  }
  if (code === 429) {
    return { kind: 'flood', words: `Telegram asks to wait ${retryAfter} s; nothing needs doing` };
  }
  if (code >= 500) {
    return {
      kind: 'server',
      words: `Telegram has a fault of its own (${code}); nothing needs doing`,
    };
  }
  return { kind: 'refused', words: `Telegram refuses ${error.method}: ${code} ${description}` };
}

/**
 * Refusals that come from what people do (a message deleted, a bot thrown out, a button pressed long
 * ago) and that nothing can be done about.
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

/** Whether a failed call needs nobody's attention. */
export function isExpected(error: unknown): boolean {
  if (!(error instanceof GrammyError)) return false;
  return error.error_code === 403 || EXPECTED.some((each) => each.test(error.description));
}

/** A failed call in one line, without addresses (they hold the token) and without what was sent. */
export function describeCall(error: unknown): string {
  if (error instanceof GrammyError) {
    return `${error.method}: ${error.error_code} ${error.description}`;
  }
  return error instanceof HttpError ? `${error.message} (${codeOf(error)})` : messageOf(error);
}

/** `ECONNREFUSED`; never the message, which has the address in it. */
function codeOf(error: HttpError): string {
  const inner = error.error;
  if (typeof inner !== 'object' || inner === null) return 'unknown';
  if ('code' in inner && typeof inner.code === 'string') return inner.code;
  if ('type' in inner && inner.type === 'invalid-json') return 'no answer of a Bot API server';
  if ('type' in inner && typeof inner.type === 'string') return inner.type;
  return inner instanceof Error && /timed out/.test(inner.message) ? 'timed out' : 'unknown';
}
