import type { AnySql } from '../sql.js';
import { type AppliedMigration, type Migration, MigrationError } from './migration.js';

// The 23 migrations before the first release became one, 0001_schema. A database that has all of them has what it creates.

/** The checksums of what 0001_schema replaces, in order. */
const SQUASHED = [
  '0b58e2917280136956e2d7229dd3e07bf103ced267895aaeb7ce10a00b2f3132', // 0001_schema
  'e32ff7c58d68dd84ace0f4f66f5c84c982c5fbf13a302a0034d5de0073040101', // 0002_buckets
  '7328b033af7b6a9d9347863e3751d416d3ec3ece9067954141883d8e25caead3', // 0003_operators
  'b519d0a311f32a4a5440607c9275d17f632ed5dce98279116fc4e1e10c45a7b9', // 0004_limits
  '5247b12709fab54c91391d39afa798bc20ce028b351629ad7b74fb760d874873', // 0005_secret_key_check
  'f9cf34b60cd56e40b077fc434de19f04b66f542effd6951fbb307cf596e3840a', // 0006_batches
  '2ea6f45de16feb955a647a23eeaf835a00b966ea97d7e1e5119291c3a74396c1', // 0007_schedule
  'a4831cef6cf1e4cb92e66c5ce0bd5992fe9572ea707d46c9763086a0899b2171', // 0008_webhooks
  'ac23bd725956d31ea78d14601413a2669a055da3b28882477203b3157f2126e0', // 0009_sums
  'bf60723c0b760f7effda51c38d0000acf19eee905d5e7aaa16952fa32da5469f', // 0010_nodes
  '30323aececc32cde8a586be6fba8116aabc8392c42cb85166a2225c87c332d20', // 0011_daily_limit
  'a20b99292320f4bd85007ddb0a4c654c83dad33e7423a2c354eb138c40d1acbb', // 0012_channel_tests
  '508f99a6722c9a34ae79406ab05f2ba825bab5b49bfa66d3f7f6b091ad9c3638', // 0013_request_key
  '80a496a03c84e53343ab30f02ecfa5f3422e22995d699bec6bac8099481e5ade', // 0014_stranded
  'ed4302d21587fbac4b1f204f5e0c7d1abab920663530b5176a994851b79ad902', // 0015_set_aside
  '0c7618446c89e16ba390efb19f5ad9b254121de69cd835e22da9d0e8aede04bc', // 0016_bucket_list
  '883809bc01bddccc882deddfc625890cd20dcf2d5e06dbd4e9d02b0c9bb84926', // 0017_kept_feedback
  '032d60377f7e40bfcf5f36a3f0f31156e1d0cda310fbd1323feaa7c15983452f', // 0018_platform_history
  'f2953495af0bb1c3f91d44f6129900c58d8d1e1ba1ba2c489461cbe7f6081920', // 0019_phone_first
  'bd8cc17d39c2932ebf684aa426a94a8c16c52b7d9e5efe7bdc61f0180fe71b53', // 0020_reports_of_a_number
  '9e4c64600050744ad06a94133283391eb62bfd160e27db5e0c382024a2446f66', // 0021_counts_by_result
  'da4814718cbdcfc1cf9078d2a5a4556cff3b2a56ffc7251be225c4bdb93c459a', // 0022_receipts_by_firm
  '5da92f9df6f1a64d2a4a3334b72fd32acfd26b8e4b9cdbdba7136dfcdb975e3d', // 0023_failures_of_a_channel
] as const;

/** Where the history is the one that 0001_schema replaces: the history as if 0001_schema had been applied. */
export function squash(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly AppliedMigration[] {
  const [schema] = migrations;
  const [first, ...later] = applied;
  if (schema === undefined || first?.checksum !== SQUASHED[0] || schema.checksum === SQUASHED[0]) return applied;
  if (applied.length < SQUASHED.length) {
    throw new MigrationError(
      `The database is too old for this release: it ends with migration ${(later.at(-1) ?? first).name} of ` +
        `${SQUASHED.length} that release 0.1.0 has. Start release 0.1.0 on it once, then this one.`,
    );
  }
  const isWhole = SQUASHED.every((checksum, index) => checksum === applied[index]?.checksum);
  if (!isWhole || applied.length > SQUASHED.length) {
    throw new MigrationError(
      `The database has migrations that no release had: its history differs from the ${SQUASHED.length} migrations of release 0.1.0.`,
    );
  }
  return [{ number: schema.number, name: schema.name, checksum: schema.checksum }];
}

/** Writes the squashed history down, so that the migrations after it have their numbers. */
export async function recordSquash(sql: AnySql, { number, name, checksum }: AppliedMigration): Promise<void> {
  await sql`delete from migration`;
  await sql`insert into migration (number, name, checksum) values (${number}, ${name}, ${checksum})`;
}
