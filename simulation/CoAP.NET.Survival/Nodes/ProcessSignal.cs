using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace CoAP.NET.Survival.Nodes;

/// <summary>Signals to child processes.</summary>
internal static partial class ProcessSignal
{
    private const int KillNumber = 9;
    private const int FreezeNumber = 19;
    private const int ThawNumber = 18;

    /// <summary>Ends a process as <c>kill -9</c> does.</summary>
    public static void Kill(Process process) => Send(process, KillNumber);

    /// <summary>Has a process stand still, as a virtual machine that is paused.</summary>
    public static void Freeze(Process process) => Send(process, FreezeNumber);

    /// <summary>Has a process go on.</summary>
    public static void Thaw(Process process) => Send(process, ThawNumber);

    private static void Send(Process process, int signal)
    {
        if (SendSignal(process.Id, signal) != 0)
        {
            throw new Win32Exception(LibC.LastError);
        }
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int SendSignal(int process, int signal);
}
