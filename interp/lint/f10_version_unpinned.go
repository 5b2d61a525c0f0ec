package lint

import (
	"regexp"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
)

var f10 = &Rule{
	ID: "F10", Slug: "version-unpinned", Severity: Warning,
	What: "An option of a backend, or how a host starts its workers, names a version that moves (`latest`, `nightly`, `master`) or one that is not a release (alpha, beta, release candidate). " +
		"The libraries that versus brings are pinned in its go.mod, and every journal has their versions, those of programs such as mosquitto, and the hash of versus itself.",
	Why:     "The same scenario measures another thing next month, and nobody can say which. A pre-release against a release compares a moment of work in progress.",
	Source:  "ZeroC's comparison of Ice 2.1 with TAO 1.4 (2005) takes \"the latest non-beta\" of both and prints their numbers. Hoefler and Belli 2015 (SC), rule 9: document all factors.",
	Example: "host \"exec\" \"box\" {\n  command = [\"docker\", \"run\", \"-i\", \"example/versus:latest\"]\n}\n",
	Cure:    "host \"exec\" \"box\" {\n  command = [\"docker\", \"run\", \"-i\", \"example/versus:1.4.2\"]\n}\n",
	Check:   versionUnpinned,
}

var (
	moving     = regexp.MustCompile(`(?i)(^|[:@/])(latest|nightly|edge|master|main|head|snapshot|unstable)$`)
	prerelease = regexp.MustCompile(`(?i)[0-9][-.]?(alpha|beta|rc|preview)[-.]?[0-9]*$`)
)

func versionUnpinned(p *Pass) {
	p.Arguments(func(b *dsl.Block, a *dsl.Argument) {
		if b.Type != "backend" && b.Type != "host" && !p.insideBackend(b) || a.Name == "title" {
			return
		}
		Walk(a.Expr, func(n hclsyntax.Node) {
			literal, ok := n.(*hclsyntax.LiteralValueExpr)
			if !ok || literal.Val.Type() != cty.String || literal.Val.IsNull() {
				return
			}
			switch version := literal.Val.AsString(); {
			case moving.MatchString(version):
				p.Report(literal.Range(), "%q is another version whenever it moves. Name the version that is to be measured.", version)
			case prerelease.MatchString(version):
				p.Report(literal.Range(), "%q is no release. Measure a release, or say in the title that it is not one and silence this rule with the reason.", version)
			}
		})
	})
}

// insideBackend reports whether a block stands in a backend, as broker does.
func (p *Pass) insideBackend(b *dsl.Block) bool {
	for _, outer := range p.Scenario.Written {
		if outer.Type != "backend" {
			continue
		}
		for _, inner := range outer.Blocks {
			if inner == b {
				return true
			}
		}
	}
	return false
}
