import { describe, expect, it } from 'vitest';
import { isPublicAddress, parseAllowList } from '../../../src/domain/access/public-address.js';

describe('an address', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.255',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '100::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '11.0.0.1',
    '100.63.255.255',
    '172.32.0.1',
    '192.169.0.1',
    '2606:4700:4700::1111',
    '2a00::1',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('the list of what is allowed', () => {
  it('names hosts, addresses and networks', () => {
    const list = parseAllowList('hooks.internal, 10.1.0.0/16,192.168.7.7, fd00::/8');
    expect(list?.names('hooks.internal', '10.9.9.9')).toBe(true);
    expect(list?.names('x', '10.1.200.1')).toBe(true);
    expect(list?.names('x', '::ffff:10.1.200.1')).toBe(true);
    expect(list?.names('x', '10.2.0.1')).toBe(false);
    expect(list?.names('x', '192.168.7.7')).toBe(true);
    expect(list?.names('x', '192.168.7.8')).toBe(false);
    expect(list?.names('x', 'fd12::1')).toBe(true);
    expect(list?.names('other.internal', '10.9.9.9')).toBe(false);
  });

  it.each(['10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/8/8', 'a b', 'http://x', 'x/8', ',', '::/129'])(
    '%s is refused',
    (text) => {
      expect(parseAllowList(text)).toBeUndefined();
    },
  );
});
