package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"postrider.example/postrider"
)

func main() {
	ctx := context.Background()
	client := must(postrider.New(
		os.Getenv("POSTRIDER_URL"), os.Getenv("POSTRIDER_API_KEY"), os.Getenv("POSTRIDER_API_SECRET"),
	))
	account := must(client.Account(ctx))
	available, frozen, seq := account.Available, account.Frozen, account.LedgerSeq
	// Newest first: each entry must stand where the walk back from the balance has arrived.
	entries := client.Ledgers(postrider.LedgerFilters{}).All(ctx)
	for entries.Next() {
		entry := entries.Item()
		if entry.Seq > seq {
			continue // Made after the account was read.
		}
		if entry.Seq != seq {
			log.Fatal("entry ", seq, " is missing")
		}
		if !entry.AvailableAfter.Equal(available) || !entry.FrozenAfter.Equal(frozen) {
			log.Fatal("entry ", seq, " does not add up")
		}
		available, frozen = available.Sub(entry.AvailableDelta), frozen.Sub(entry.FrozenDelta)
		seq--
	}
	if err := entries.Err(); err != nil {
		log.Fatal(err)
	}
	if available.Sign() != 0 || frozen.Sign() != 0 || seq != 0 {
		log.Fatal("the ledger does not begin at zero")
	}
	fmt.Println("every entry adds up")
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
