// Package osspecific has the file for Linux that the archive of Argo's module lacks (v4.0.5: the files of the other
// systems are in it). It is put into a copy of the module.
package osspecific

import (
	"os"
	"syscall"

	"github.com/argoproj/argo-workflows/v4/util/errors"
)

// Term is the signal that asks a program to end.
var Term = syscall.SIGTERM

// CanIgnoreSignal tells which signals are the executor's own business: of its children, and of Go's scheduler.
func CanIgnoreSignal(got os.Signal) bool {
	return got == syscall.SIGCHLD || got == syscall.SIGURG
}

// Setpgid makes a program that is to be started the leader of a group of processes.
func Setpgid(attributes *syscall.SysProcAttr) {
	attributes.Setpgid = true
}

// Kill sends a signal to the whole group of a process.
func Kill(pid int, number syscall.Signal) error {
	if group, err := syscall.Getpgid(pid); err == nil {
		return syscall.Kill(-group, number)
	}
	return syscall.Kill(pid, number)
}

// Wait waits until the process ends, buries every other child that ends before it, and gives its exit status as an
// error, 128 and the signal's number when a signal ended it.
func Wait(process *os.Process) error {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if pid != process.Pid {
			continue
		}
		if status.Signaled() {
			return errors.NewExitErr(128 + int(status.Signal()))
		}
		return errors.NewExitErr(status.ExitStatus())
	}
}
