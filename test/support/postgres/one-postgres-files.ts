/** The files of tests that a cluster cannot pass, and why. There they are left out, and each is named with its reason. */
export const ONE_POSTGRES_FILES: Readonly<Record<string, string>> = {
  'test/pipeline/disk-full.long.test.ts': 'it fills the disk by triggers, which a cluster does not take',
  'test/pipeline/large-batch.long.test.ts':
    'a hundred thousand numbers take a cluster on one machine longer than it waits',
  'test/pipeline/channel/sending/throughput.long.test.ts': 'it asks for a pace',
  'test/pipeline/settle/statements.long.test.ts':
    'it counts statements, of which a cluster takes more (store/run-together.ts)',
  'test/store/lists/first-statistics.test.ts': 'it reads the plans of one server',
  'test/store/lists/list-plans.long.test.ts': 'it reads the plans of one server',
  'test/store/operator/list-plans.test.ts': 'it reads the plans of one server',
  'test/store/schema.test.ts': 'the tables of a cluster have other indexes and triggers beside ours',
};
