package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"postrider.example/postrider"
)

func main() {
	ctx := context.Background()
	client := must(postrider.New(
		os.Getenv("POSTRIDER_URL"), os.Getenv("POSTRIDER_API_KEY"), os.Getenv("POSTRIDER_API_SECRET"),
	))
	undelivered := client.Receipts(postrider.ReceiptFilters{
		Result:  postrider.ReceiptResultUndelivered,
		StartAt: time.Now().Add(-time.Hour),
	})
	fmt.Println(must(undelivered.Page(ctx, 1)).Total, "undelivered in the last hour")
	receipts := undelivered.All(ctx)
	for receipts.Next() {
		fmt.Println(receipts.Item().Phone, *receipts.Item().Code)
	}
	if err := receipts.Err(); err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
