// Evaluates conditions with cel-go, CEL's reference implementation, for run.ts to compare with.
//
// The first line that it reads has the declared types: {"Context": {"ip": "string", …}, "Subject":
// {"properties": "SubjectProperties", …}, "SubjectProperties": {…}, …}. Each further one is a question: {"expression": "…", "variables": {…}}. For each it
// prints a line: true, false, error (it cannot be evaluated, or is no bool) or refused (it does not compile), and
// after a space why.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"
)

type question struct {
	Expression string                     `json:"expression"`
	Variables  map[string]json.RawMessage `json:"variables"`
}

// provider knows the declared fields of variables, whose values are maps.
type provider struct {
	*types.Registry
	fields map[string]map[string]string
}

func (p provider) FindStructType(name string) (*types.Type, bool) {
	if _, ok := p.fields[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return nil, false
}

func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	return nil, false
}

func (p provider) FindStructFieldType(object, field string) (*types.FieldType, bool) {
	declared, ok := p.fields[object][field]
	if !ok {
		return nil, false
	}
	return &types.FieldType{Type: typeOf(declared)}, true
}

// typeOf has the types of declarations; any other name is that of an object.
func typeOf(declared string) *types.Type {
	switch declared {
	case "string":
		return types.StringType
	case "bool":
		return types.BoolType
	case "int":
		return types.IntType
	case "double":
		return types.DoubleType
	case "timestamp":
		return types.TimestampType
	case "list<string>":
		return types.NewListType(types.StringType)
	case "map":
		return types.NewMapType(types.StringType, types.DynType)
	default:
		return types.NewObjectType(declared)
	}
}

// decode reads a value: {"int": "5"}, {"double": 1.5}, {"time": "…"}, {"list": […]}, {"map": [[key, value], …]};
// texts, bools and null stand for themselves.
func decode(raw json.RawMessage) (any, error) {
	if raw[0] != '{' {
		var plain any
		err := json.Unmarshal(raw, &plain)
		return plain, err
	}
	var tagged struct {
		Int    *string
		Double *float64
		Time   *time.Time
		List   []json.RawMessage
		Map    [][2]json.RawMessage
	}
	if err := json.Unmarshal(raw, &tagged); err != nil {
		return nil, err
	}
	switch {
	case tagged.Int != nil:
		return strconv.ParseInt(*tagged.Int, 10, 64)
	case tagged.Double != nil:
		return *tagged.Double, nil
	case tagged.Time != nil:
		return *tagged.Time, nil
	case tagged.List != nil:
		list := make([]any, len(tagged.List))
		for position, each := range tagged.List {
			value, err := decode(each)
			if err != nil {
				return nil, err
			}
			list[position] = value
		}
		return list, nil
	default:
		values := map[string]any{}
		for _, entry := range tagged.Map {
			var key string
			if err := json.Unmarshal(entry[0], &key); err != nil {
				return nil, err
			}
			value, err := decode(entry[1])
			if err != nil {
				return nil, err
			}
			values[key] = value
		}
		return values, nil
	}
}

func answer(env *cel.Env, line []byte) (string, error) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return "", err
	}
	variables := map[string]any{}
	for name, raw := range asked.Variables {
		value, err := decode(raw)
		if err != nil {
			return "", err
		}
		variables[name] = value
	}
	ast, issues := env.Compile(asked.Expression)
	if issues.Err() != nil {
		return "refused " + issues.Err().Error(), nil
	}
	program, err := env.Program(ast)
	if err != nil {
		return "refused " + err.Error(), nil
	}
	value, _, err := program.Eval(variables)
	if err != nil {
		return "error " + err.Error(), nil
	}
	if holds, ok := value.Value().(bool); ok {
		return strconv.FormatBool(holds), nil
	}
	return "error it is no bool", nil
}

func run() error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	lines.Scan()
	registry, err := types.NewRegistry()
	if err != nil {
		return err
	}
	known := provider{Registry: registry}
	if err := json.Unmarshal(lines.Bytes(), &known.fields); err != nil {
		return err
	}
	env, err := cel.NewEnv(
		cel.CustomTypeAdapter(registry),
		cel.CustomTypeProvider(known),
		cel.Variable("subject", types.NewObjectType("Subject")),
		cel.Variable("resource", types.NewObjectType("Resource")),
		cel.Variable("action", types.NewObjectType("Action")),
		cel.Variable("context", types.NewObjectType("Context")),
		cel.CrossTypeNumericComparisons(true),
		ext.Strings(),
		ext.Network(),
	)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for lines.Scan() {
		text, err := answer(env, lines.Bytes())
		if err != nil {
			return err
		}
		fmt.Fprintln(out, strings.ReplaceAll(text, "\n", " "))
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
