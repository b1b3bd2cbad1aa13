// Turns a model in OpenFGA's language, on the standard input, into the JSON that its server takes.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/openfga/language/pkg/go/transformer"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		var model string
		if model, err = transformer.TransformDSLToJSON(string(text)); err == nil {
			fmt.Println(model)
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
