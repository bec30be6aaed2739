import type postgres from 'postgres';
export type Sql = postgres.Sql<{ bigint: bigint }>;
