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
	out := must(os.Create("november.csv"))
	defer out.Close()
	november := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	file := client.Receipts(postrider.ReceiptFilters{StartAt: november}).CSV(ctx)
	must(file.WriteTo(out))
	fmt.Printf("%d receipts; the next file continues from %s\n", file.Rows(), file.Cursor())
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
