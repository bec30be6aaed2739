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
	preview := must(client.Preview(ctx, postrider.SendRequest{
		TemplateNo:     os.Getenv("POSTRIDER_TEMPLATE_NO"),
		Phones:         []string{"13800139001", "13800139002", "12345"},
		VariableValues: postrider.Variables{"p1": "Ann"},
	}))
	fmt.Println(preview.Sendable, "of", preview.Total, "numbers for", preview.Price, preview.Currency)
	for _, rejection := range preview.Rejections {
		fmt.Println(rejection.Phone, rejection.Code)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
