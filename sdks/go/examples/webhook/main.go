// Receives webhooks at a port, and prints the outcome of each number.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"postrider.example/postrider"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	message, err := postrider.VerifyWebhook(os.Getenv("WEBHOOK_SECRET"), request.Header, body)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	if data, isReceipts := message.Data.(*postrider.ReceiptItems); isReceipts {
		for _, receipt := range data.Items {
			fmt.Println(message.ID, receipt.Phone, receipt.Result, receipt.Charged)
		}
	}
	response.WriteHeader(http.StatusNoContent)
}
