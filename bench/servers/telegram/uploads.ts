import { parseMultipart } from '../multipart.ts';
import type { Payload } from './rules.ts';

/** An uploaded file. */
export interface Upload {
  readonly name: string;
  readonly data: Buffer;
}

/** A call's parameters, and the files that they name as `attach://…`. */
export interface Received {
  readonly payload: Payload;
  readonly files: ReadonlyMap<string, Upload>;
}

const ATTACHED = /^attach:\/\/(.+)$/;

/**
 * Parameters as JSON, or as a form with files (https://core.telegram.org/bots/api#sending-files).
 * @throws Error that says what is malformed
 */
export function readBody(contentType: string, bytes: Buffer): Received {
  if (!contentType.startsWith('multipart/')) {
    const text = bytes.toString('utf8');
    return { payload: text === '' ? {} : (JSON.parse(text) as Payload), files: new Map() };
  }
  const parts = parseMultipart(contentType, bytes);
  const files = new Map<string, Upload>();
  const payload: Payload = {};
  for (const { name, filename, data } of parts) {
    if (filename !== undefined) files.set(name, { name: filename, data });
    else payload[name] = valueOfText(data.toString('utf8'));
  }
  const named = new Set(
    Object.values(payload).flatMap((value) => ATTACHED.exec(String(value))?.[1] ?? []),
  );
  for (const name of named) if (!files.has(name)) throw new Error(`the file ${name} is missing`);
  for (const name of files.keys()) if (!named.has(name)) throw new Error(`nobody names ${name}`);
  return { payload, files };
}

/** The file that a parameter names. */
export function fileNamed(value: unknown, files: Received['files']): Upload | undefined {
  return files.get(ATTACHED.exec(String(value))?.[1] ?? '');
}

/** A form has only text; numbers, flags and objects are written as in JSON. */
function valueOfText(text: string): unknown {
  return /^(?:-?\d{1,16}|true|false|[[{].*)$/s.test(text) ? (JSON.parse(text) as unknown) : text;
}
