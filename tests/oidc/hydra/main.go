// Package main is Ory Hydra, which `go install` refuses to compile, because its module replaces another one.
package main

import "github.com/ory/hydra/v2/cmd"

func main() {
	cmd.Execute()
}
