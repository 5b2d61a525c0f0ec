package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// maxRevision is the largest revision that is unpacked to compare, in bytes.
const maxRevision = 512 << 20

// unpack writes a revision of the git repository of the working folder to a new
// folder, since a scenario may import and read other files of it. It returns
// that folder, and the file in it. A file is named from the top of the
// repository, as git does it, or from the working folder with ./ before it.
func unpack(rev, file string) (dir, unpacked string, err error) {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return "", "", fmt.Errorf("%q is no revision; write REV:FILE, such as HEAD~1:%s", rev, file)
	}
	top, prefix, err := repository()
	if err != nil {
		return "", "", fmt.Errorf("%s:%s: %w", rev, file, err)
	}
	name := path.Clean(file)
	if strings.HasPrefix(file, "./") || strings.HasPrefix(file, "../") {
		name = path.Join(prefix, file)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", "", fmt.Errorf("%s:%s lies outside of the repository", rev, file)
	}
	cmd := exec.Command("git", "archive", "--format=tar", "--end-of-options", rev)
	cmd.Dir = top
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", "", err
	}
	if err := cmd.Start(); err != nil {
		return "", "", err
	}
	dir, err = os.MkdirTemp("", "versus-revision-")
	if err == nil {
		err = untar(&bounded{out, maxRevision}, dir)
	}
	_, _ = io.Copy(io.Discard, out)
	if waitErr := cmd.Wait(); waitErr != nil {
		err = fmt.Errorf("git has no revision %q: %s", rev, strings.TrimSpace(stderr.String()))
	}
	unpacked = filepath.Join(dir, filepath.FromSlash(name))
	if err == nil {
		if _, statErr := os.Stat(unpacked); statErr != nil {
			err = fmt.Errorf("revision %s has no %s (files are named from the top of the repository, or from here with ./ before them)", rev, name)
		}
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", "", err
	}
	return dir, unpacked, nil
}

// repository is the top of the git repository of the working folder, and the
// working folder below it, with slashes.
func repository() (top, prefix string, err error) {
	out, err := exec.Command("git", "rev-parse", "--show-toplevel", "--show-prefix").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", "", errors.New("revisions need git, which is not on this machine")
	}
	if err != nil {
		return "", "", errors.New("there is no such file, and the working folder is in no git repository")
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 2 {
		return "", "", errors.New("git does not say where its repository is")
	}
	return lines[0], lines[1], nil
}

// bounded reads no more than so many bytes, and says so.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the revision has more than %d MiB", maxRevision>>20)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// untar writes the regular files of an archive below dir.
func untar(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := filepath.FromSlash(h.Name)
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		f, err := root.Create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, t)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
	}
}
