// `npm run faults -- --seed N --minutes M`: fault campaigns by hand. The options become the environment of the tests in
// test/faults, which start everything that a campaign needs.
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { Failure, installed, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

const usage = `npm run faults -- [--seed N] [--seeds COUNT] [--minutes M] [--only FAULT,FAULT] [--kinds KIND,KIND] [--planted all|NAME,NAME]
  --seed N      the first seed (1)
  --seeds COUNT how many seeds, one after the other (1)
  --minutes M   how long faults are made with each seed (1)
  --only        these faults instead of all, by the names in test/faults/nemesis
  --kinds       of the two carriers (smpp, cmpp, smgp, sgip, http), instead of those that the seed chooses
  --planted     instead, plant known bugs one at a time, and see each of them caught
npm run faults -- --neighbour [--minutes M]
  --neighbour   instead, let ten customers work beside one with every bad habit at once for M minutes, and compare what they
                wait for with ten others at a service without it
npm run faults -- --cluster URL [--numbers N]
  --cluster URL instead, harm a Citus cluster by its coordinator's URL: its machines must run on this computer, and no other
                user may use them meanwhile, since they are killed
  --numbers N   how many numbers 20 customers send in each of its runs (100000)`;

/** As many as `postrider distribute` makes for two workers. */
const SHARDS = { POSTRIDER_TEST_SHARDS: '8' };

function readOptions() {
  try {
    const names = ['seed', 'seeds', 'minutes', 'only', 'kinds', 'planted', 'cluster', 'numbers'];
    const texts = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    return parseArgs({ options: { ...texts, neighbour: { type: 'boolean' }, help: { type: 'boolean' } } }).values;
  } catch (error) {
    throw new Failure(`${error.message}\n${usage}`);
  }
}

async function runFaults() {
  const { seed = '1', seeds = '1', minutes = '1', numbers = '100000', ...rest } = readOptions();
  const { only, kinds, planted, cluster, neighbour, help } = rest;
  if (help) return console.log(usage);
  const isNumber = [seed, seeds, minutes, numbers].every((text) => Number(text) > 0);
  if (!isNumber) throw new Failure(usage);
  await install();
  await build();
  const wishes = { FAULTS_SEED: seed, FAULTS_SEEDS: seeds, FAULTS_MINUTES: minutes };
  const limits = {
    ...(only && { FAULTS_ONLY: only }),
    ...(kinds && { FAULTS_KINDS: kinds }),
    ...(planted && { FAULTS_PLANTED: planted }),
    ...(neighbour && { FAULTS_NEIGHBOUR: 'on' }),
  };
  const onCluster = { FAULTS_CLUSTER: 'on', FAULTS_NUMBERS: numbers, POSTRIDER_TEST_CITUS: cluster, ...SHARDS };
  const env = { ...process.env, ...(cluster ? onCluster : { ...wishes, ...limits }) };
  const folder = cluster ? 'test/faults/cluster' : 'test/faults/campaign.long.test.ts';
  const { code } = await run(installed('vitest'), ['run', folder], { env });
  process.exitCode = code;
}

await runAsProgram(import.meta.url, runFaults);
