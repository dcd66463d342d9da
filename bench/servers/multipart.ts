/** One part of a multipart/form-data body. */
export interface FormPart {
  readonly name: string;
  /** Undefined for a plain value. */
  readonly filename: string | undefined;
  readonly data: Buffer;
}

const DISPOSITION =
  /^form-data *; *name="([^"\r\n]+)"(?: *; *filename=(?:"([^"\r\n]+)"|([^\s;"]+)))?$/i;

/**
 * Splits a body as RFC 7578 and 2046 define it; rejects anything they don't allow.
 * @throws Error that says what is malformed
 */
export function parseMultipart(contentType: string, body: Buffer): FormPart[] {
  const boundary = /^multipart\/form-data; *boundary="?([^\s";]{1,70})"?$/i.exec(contentType)?.[1];
  if (boundary === undefined) throw new Error(`no boundary in ${contentType}`);
  // One character per byte, so that nothing is lost.
  const [before, ...pieces] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`);
  const end = pieces.pop();
  if (before !== '' || end === undefined) throw new Error('it does not begin with the boundary');
  if (!/^--(?:\r\n)?$/.test(end)) throw new Error('it does not end with the boundary');
  const parts = pieces.map(partOf);
  if (parts.length === 0) throw new Error('it has no parts');
  if (new Set(parts.map(({ name }) => name)).size < parts.length) throw new Error('a name twice');
  return parts;
}

function partOf(piece: string): FormPart {
  const [, head = '', content = ''] = /^\r\n(.*?)\r\n\r\n(.*)$/s.exec(piece) ?? [];
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n')) {
    const [, name, value = ''] = /^([\w-]+): *(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`a part with the header ${line}`);
    headers.set(name.toLowerCase(), value);
  }
  const disposition = DISPOSITION.exec(headers.get('content-disposition') ?? '');
  if (disposition === null) throw new Error(`a part without a name: ${head}`);
  const [, name = '', quoted, bare] = disposition;
  const filename = quoted ?? bare;
  if (filename !== undefined && !headers.has('content-type')) {
    throw new Error('a file of no type');
  }
  return { name, filename, data: Buffer.from(content, 'latin1') };
}
