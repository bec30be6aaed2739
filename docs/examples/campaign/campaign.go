package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"postrider.example/postrider"
)

func main() {
	ctx := context.Background()
	client := must(postrider.New(
		os.Getenv("POSTRIDER_URL"), os.Getenv("POSTRIDER_API_KEY"), os.Getenv("POSTRIDER_API_SECRET"),
	))
	at := -1
	numbers := postrider.NumberFunc(func() (postrider.Recipient, error) {
		if at++; at == 300 {
			return postrider.Recipient{}, io.EOF
		}
		return postrider.Recipient{
			Phone:          fmt.Sprintf("139%07d0", at),
			VariableValues: postrider.Variables{"p1": fmt.Sprint("number ", at)},
		}, nil
	})
	summary := must(client.SendAll(ctx, postrider.SendRequest{
		TemplateNo: os.Getenv("POSTRIDER_TEMPLATE_NO"),
		BatchID:    "july-campaign",
		AutoFreeze: postrider.Bool(true),
		AutoSubmit: postrider.Bool(true),
	}, numbers, postrider.SendAllOptions{NumbersPerTask: 100}))
	fmt.Println(summary.Numbers, "numbers in", summary.Tasks, "tasks")
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
