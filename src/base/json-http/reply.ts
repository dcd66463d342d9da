import { fieldOf } from '#base/text/json-field';

/** Error codes of Node and undici are constants, so they can't contain part of a request. */
const ERROR_CODE = /^[A-Z][A-Z_]{2,39}$/;

const WORDS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'closed the connection',
};

/** A certificate that no known authority vouches for, as on a private network. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

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
  /** Of the connection, such as `ECONNREFUSED`; '' where there's none. */
  readonly code: string;

  constructor(reason: FailureReason, message: string, options?: { code?: string; cause: unknown }) {
    super(message, options);
    this.reason = reason;
    this.code = options?.code ?? '';
  }
}

/** @param error whatever undici or a decoder threw */
export function failureOf(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  if (error instanceof Error && /Timeout/.test(error.name)) {
    return new HttpFailure('timeout', 'took too long to respond', { cause: error });
  }
  const code = fieldOf(error, 'code');
  if (typeof code !== 'string' || !ERROR_CODE.test(code)) {
    return new HttpFailure('connection', 'could not be reached', { cause: error });
  }
  const advice = UNKNOWN_AUTHORITY.has(code)
    ? '; if its certificate is your own, name the authority in NODE_EXTRA_CA_CERTS'
    : '';
  // undici's own codes tell operators nothing.
  const words = WORDS[code] ?? `could not be reached (${code})${advice}`;
  return new HttpFailure('connection', words, { code, cause: error });
}

/** Header values by name in lower case; a repeated header is a list. */
type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

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
