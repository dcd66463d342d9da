import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '#base/json-http/target-guard';

describe('an address', () => {
  it.each(['1.1.1.1', '172.32.0.1', '192.167.1.1', '223.255.255.255', '2606:4700::1111'])(
    'is public: %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:1.1.1.1',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1.1.1.1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    'localhost',
    '',
  ])('is not public: %s', (address) => expect(isPublicAddress(address)).toBe(false));
});
