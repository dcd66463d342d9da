import { fieldOf } from '#base/text/json-field';

/** Error codes of Node and undici are constants, so they can't contain part of a request. */
const ERROR_CODE = /^[A-Z][A-Z_]{2,39}$/;

/** What went wrong, by the beginning of the error's code; others mean that nothing came. */
const WORDS: readonly (readonly [code: string, words: string])[] = [
  ['UND_ERR_SOCKET', 'closed the connection'],
  ['ECONNRESET', 'closed the connection'],
  ['UND_ERR_HEADERS_OVERFLOW', 'sent too many headers'],
  ['Z_', 'sent a response that could not be decompressed'],
];

/** A certificate that no known authority vouches for, as on a private network. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** A certificate that would be good at another time. */
const WRONG_TIME = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

type FailureReason =
  | 'timeout'
  | 'connection'
  | 'private-address'
  | 'not-https'
  | 'port'
  | 'url'
  | 'redirect'
  | 'content-type'
  | 'too-large'
  | 'encoding'
  | 'not-json';

/**
 * Why there's no usable response. The message continues a sentence that names the service ("Discord
 * took too long to respond") and contains nothing of the request. The cause is the network error,
 * which may quote the URL: omit it if the URL is secret.
 */
export class HttpFailure extends Error {
  readonly reason: FailureReason;
  /** The connection's error, such as `ECONNREFUSED`; '' where there's none. */
  readonly code: string;
  /** The head of a response whose body failed. */
  head: ReplyHead | undefined;

  constructor(reason: FailureReason, message: string, options?: { code?: string; cause: unknown }) {
    super(message, options);
    this.reason = reason;
    this.code = options?.code ?? '';
  }
}

/**
 * @param error whatever undici or a decoder threw
 * @param head of the response, if only its body failed
 */
export function failureOf(error: unknown, head?: ReplyHead): HttpFailure {
  const failure = error instanceof HttpFailure ? error : failureBy(error);
  failure.head ??= head;
  return failure;
}

function failureBy(error: unknown): HttpFailure {
  if (error instanceof Error && /Timeout/.test(error.name)) {
    return new HttpFailure('timeout', 'took too long to respond', { cause: error });
  }
  const told = fieldOf(error, 'code');
  const code = typeof told === 'string' && ERROR_CODE.test(told) ? told : '';
  return new HttpFailure('connection', wordsOf(error, code), { code, cause: error });
}

function wordsOf(error: unknown, code: string): string {
  // undici's own names and codes tell operators nothing.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return 'sent something that is not HTTP';
  }
  // At a 100 or 101, as no request of ours asks for one; the code is that of a closed connection.
  if (error instanceof Error && /^bad (?:response|upgrade)$/.test(error.message)) {
    return 'sent an interim response that nobody asked for';
  }
  const known = WORDS.find(([start]) => code.startsWith(start))?.[1];
  if (known !== undefined) return known;
  return code === '' ? 'could not be reached' : `could not be reached (${code})${adviceOn(code)}`;
}

function adviceOn(code: string): string {
  if (UNKNOWN_AUTHORITY.has(code)) {
    return '; if its certificate is your own, name the authority in NODE_EXTRA_CA_CERTS';
  }
  return WRONG_TIME.has(code) ? "; its certificate is out of date, or this machine's clock is" : '';
}

/** Header values by name in lower case; a repeated header is a list. */
type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What comes before a response's body. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: ReplyHeaders;
}

/**
 * A complete response, of any status. The body is decoded on demand, so an error page isn't a
 * failure.
 */
export class JsonReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly bytes: Uint8Array;
  #text: string | undefined;

  constructor(status: number, headers: ReplyHeaders, bytes: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  /** The media type in lower case without parameters; '' if there's none. */
  get contentType(): string {
    const [type = ''] = String(this.headers['content-type'] ?? '').split(';');
    return type.trim().toLowerCase();
  }

  /** @throws HttpFailure `not-json` when it isn't UTF-8 */
  get text(): string {
    try {
      this.#text ??= new TextDecoder('utf-8', { fatal: true }).decode(this.bytes);
      return this.#text;
    } catch {}
    throw notJson();
  }

  /**
   * The text, for who needs nothing else: gives the memory of the bytes back at once. Garbage of megabytes
   * would make V8 collect far more often.
   * @throws HttpFailure `not-json` when it isn't UTF-8
   */
  takeText(): string {
    const { text } = this;
    const { buffer, byteLength } = this.bytes;
    // Small buffers share theirs with others.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
    return text;
  }

  /** @throws HttpFailure `not-json` */
  json(): unknown {
    const { text } = this;
    try {
      return JSON.parse(text);
    } catch {}
    throw notJson();
  }
}

/** Omits the parser's message, as it quotes the body. */
function notJson(): HttpFailure {
  return new HttpFailure('not-json', 'sent something that is not JSON');
}
