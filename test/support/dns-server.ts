import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { onTestFinished } from 'vitest';
import { dnsLookup } from '#base/json-http/target-guard';

const A = 1;
const NO_SUCH_NAME = 3;

/**
 * A DNS server on loopback, stopped after the test.
 * @param addressesOf called for each look-up; returns undefined if the name doesn't exist
 * @returns a look-up function that only asks this server
 */
export async function startDns(addressesOf: (name: string) => readonly string[] | undefined) {
  const socket = createSocket('udp4');
  /** Kept for both record types, so that an answer that changes is consistent within a look-up. */
  const pending = new Map<string, readonly string[] | undefined>();
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question);
    const found = pending.has(name) ? pending.get(name) : addressesOf(name);
    if (!pending.delete(name)) pending.set(name, found);
    const mine = (found ?? []).filter((each) => isIPv4(each) === (type === A));
    const header = Buffer.alloc(12);
    question.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (found === undefined ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(mine.length, 6);
    const answers = mine.map((each) => answerOf(type, addressBytes(each)));
    const reply = Buffer.concat([header, question.subarray(12, end), ...answers]);
    socket.send(reply, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return dnsLookup([`127.0.0.1:${socket.address().port}`]);
}

/** https://www.rfc-editor.org/rfc/rfc1035#section-4.1.2 */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The name is a pointer to the question's; the TTL is 0. */
function answerOf(type: number, address: Buffer): Buffer {
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(address.length, 10);
  return Buffer.concat([record, address]);
}

/** @param address IPv4, or unabbreviated IPv6 */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const groups = address.split(':').map((group) => group.padStart(4, '0'));
  return Buffer.from(groups.join(''), 'hex');
}
