<?php

require 'vendor/autoload.php';

use Postrider\Client;
use Postrider\Decimal;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
$millionths = fn (Decimal $amount): int => (int) str_replace('.', '', (string) $amount);

$account = $client->account();
$available = $millionths($account->available);
$frozen = $millionths($account->frozen);
$seq = $account->ledgerSeq;
// Newest first: each entry must stand where the walk back from the balance has arrived.
foreach ($client->ledgers(pageSize: 100) as $entry) {
    if ($entry->seq > $seq) {
        continue; // Made after the account was read.
    }
    if ($entry->seq !== $seq) {
        throw new Exception("entry $seq is missing");
    }
    if ($millionths($entry->availableAfter) !== $available || $millionths($entry->frozenAfter) !== $frozen) {
        throw new Exception("entry $seq does not add up");
    }
    $available -= $millionths($entry->availableDelta);
    $frozen -= $millionths($entry->frozenDelta);
    $seq--;
}
if ([$available, $frozen, $seq] !== [0, 0, 0]) {
    throw new Exception('the ledger does not begin at zero');
}
echo "every entry adds up\n";
