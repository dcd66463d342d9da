import { type FormPart, parseMultipart } from '../multipart.ts';

type Loose = Readonly<Record<string, unknown>>;

/** A file attached to a message. */
export interface Attached {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly bytes: number;
}

/** A request as received. */
export interface Received {
  readonly body: unknown;
  /** By number. */
  readonly files: readonly FormPart[];
}

/** The attachment size that Discord accepts from any bot; every interaction states it. */
const LARGEST = 10_485_760;

/**
 * A JSON body, or a form with JSON in `payload_json` and files as `files[0]` and so on.
 * https://discord.com/developers/docs/reference#uploading-files
 * @throws Error that says what is malformed
 */
export function readBody(contentType: string, bytes: Buffer): Received {
  if (!contentType.startsWith('multipart/')) {
    const text = bytes.toString('utf8');
    return { body: text === '' ? undefined : (JSON.parse(text) as unknown), files: [] };
  }
  const parts = parseMultipart(contentType, bytes);
  const payload = parts.find(({ name }) => name === 'payload_json');
  if (payload === undefined || payload.filename !== undefined) throw new Error('no payload_json');
  const files = parts.filter((part) => part !== payload);
  for (const [i, { name, filename }] of files.entries()) {
    if (name !== `files[${i}]` || filename === undefined) throw new Error(`a part called ${name}`);
  }
  if (files.length === 0) throw new Error('a form without files');
  return { body: JSON.parse(payload.data.toString('utf8')) as unknown, files };
}

/** What is wrong with a message's files. @param known those that it has already */
export function faultsOfFiles(
  { attachments }: Loose,
  files: readonly FormPart[],
  known: readonly Attached[],
): string[] {
  const faults: string[] = [];
  const named = (attachments ?? []) as readonly Loose[];
  for (const { id, filename } of named) {
    const file = files[Number(id)];
    if (file === undefined && !known.some((each) => each.id === id)) {
      faults.push(`the attachment ${id} is nowhere`);
    }
    if (file !== undefined && file.filename !== filename) faults.push(`two names of file ${id}`);
  }
  for (const [i, { filename = '', data }] of files.entries()) {
    if (!named.some(({ id }) => id === String(i))) faults.push(`file ${i} is not described`);
    if (!/^[\w.-]{1,100}$/.test(filename)) faults.push(`a file called ${filename}`);
    if (data.length === 0 || data.length > LARGEST) faults.push(`a file of ${data.length} bytes`);
  }
  return faults;
}

/** A message's files after it was sent or edited: without `attachments`, all stay. */
export function filesAfter(
  { attachments }: Loose,
  files: readonly FormPart[],
  before: readonly Attached[],
  newId: () => string,
): readonly Attached[] {
  const named = attachments as readonly Loose[] | null | undefined;
  const kept = before.filter((file) => named?.some(({ id }) => id === file.id) ?? true);
  const added = files.map(({ filename = '', data }) => ({
    id: newId(),
    name: filename,
    text: data.toString('utf8'),
    bytes: data.length,
  }));
  return [...kept, ...added];
}
