<?php

require 'vendor/autoload.php';

use Postrider\Client;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
$file = $client->receipts(startAt: '2026-11-01T00:00:00Z')->csv();
$out = fopen('november.csv', 'w');
$rows = $file->writeTo($out);
fclose($out);
echo "$rows receipts; the next file continues from {$file->cursor()}\n";
