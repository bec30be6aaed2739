// `npm run faults -- --seed N --minutes M`: fault campaigns by hand. The options become the environment of the tests in
// test/faults, which start everything that a campaign needs.
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { Failure, installed, run, runAsProgram } from './checkout.mjs';
import { install } from './install.mjs';

const usage = `npm run faults -- [--seed N] [--seeds COUNT] [--minutes M] [--only FAULT,FAULT] [--planted all|NAME,NAME]
  --seed N      the first seed (1)
  --seeds COUNT how many seeds, one after the other (1)
  --minutes M   how long faults are made with each seed (1)
  --only        these faults instead of all, by the names in test/faults/nemesis
  --planted     instead, plant known bugs one at a time, and see each of them caught`;

function readOptions() {
  try {
    const text = { type: 'string' };
    return parseArgs({
      options: { seed: text, seeds: text, minutes: text, only: text, planted: text, help: { type: 'boolean' } },
    }).values;
  } catch (error) {
    throw new Failure(`${error.message}\n${usage}`);
  }
}

async function runFaults() {
  const { seed = '1', seeds = '1', minutes = '1', only, planted, help } = readOptions();
  if (help) return console.log(usage);
  const isNumber = [seed, seeds, minutes].every((text) => Number(text) > 0);
  if (!isNumber) throw new Failure(usage);
  await install();
  await build();
  const wishes = { FAULTS_SEED: seed, FAULTS_SEEDS: seeds, FAULTS_MINUTES: minutes };
  const limits = { ...(only && { FAULTS_ONLY: only }), ...(planted && { FAULTS_PLANTED: planted }) };
  const env = { ...process.env, ...wishes, ...limits };
  const { code } = await run(installed('vitest'), ['run', 'test/faults'], { env });
  process.exitCode = code;
}

await runAsProgram(import.meta.url, runFaults);
