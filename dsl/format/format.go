// Package format lays out scenario files in the one canonical style: that of
// hclwrite (two spaces, aligned equals signs), at most one blank line in a row
// and none at the ends of a block, # for comments, quoted labels, "${x}" as x,
// and spaces around a minus that HCL would take for a letter.
//
// The meaning of a file stays, with one exception, which mends what can't have
// been meant: see rewrite.go. Formatting twice changes nothing more. Files in
// JSON syntax are left alone.
package format

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/rogpeppe/go-internal/diff"

	"versus/dsl"
)

// Source returns the file src in canonical layout. name is used in messages;
// one that ends in .json is refused, for what a JSON file looks like is up to
// other tools. A file that does not parse is refused with the parser's
// diagnostics: nothing is returned then.
func Source(name string, src []byte) ([]byte, hcl.Diagnostics) {
	if strings.HasSuffix(name, ".json") {
		return nil, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "JSON is not formatted",
			Detail:  "versus formats files in HCL's native syntax. For JSON use any JSON formatter.",
			Subject: &hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos},
		}}
	}
	file, diags := dsl.Parse(name, src)
	if diags.HasErrors() {
		return nil, diags
	}
	out := rewrite(file.Body.(*hclsyntax.Body), src).apply(src)
	out = blankLines(out).apply(out)
	out = hclwrite.Format(out)
	if _, broken := dsl.Parse(name, out); broken.HasErrors() {
		// A mistake of ours; better no result than a broken file.
		return nil, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "Formatting failed",
			Detail: fmt.Sprintf("The formatted text of %s would no longer parse (%s). Please report this, with the file.", name, broken[0].Summary),
		}}
	}
	return out, nil
}

// Diff returns the difference of two versions of the file called name as a
// unified diff, or "" if there is none.
func Diff(name string, old, new []byte) string {
	return string(diff.Diff(name, old, name+" (formatted)", new))
}
