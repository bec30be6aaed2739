<?php

require 'vendor/autoload.php';

use Postrider\Client;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
$undelivered = $client->receipts(result: 'undelivered', startAt: new DateTimeImmutable('-1 hour'));
echo "{$undelivered->page()->total} undelivered in the last hour\n";
foreach ($undelivered as $receipt) {
    echo "$receipt->phone $receipt->code\n";
}
