// Preloaded into the service of the neighbour scenario: names are looked up at NAME_SERVER instead of the system's servers.
import dns from 'node:dns';

const { Resolver } = dns.promises;

dns.promises.Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.NAME_SERVER ?? '']);
  }
};
