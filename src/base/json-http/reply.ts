import { HttpFailure } from './failure.ts';

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
