using System.Runtime.InteropServices;

namespace CoAP.NET.Execution;

/// <summary>Distinguishes computing threads from waiting ones, as far as the system reports it.</summary>
internal static partial class ThreadWaitDetector
{
    // The number of gettid; 0 where it is not asked. Linux distinguishes a thread that waits in a system call, such as a read, from one
    // that computes. By number, because glibc has a function for it since 2.30 only, and .NET runs on 2.27.
    private static readonly nint s_getThreadId = !OperatingSystem.IsLinux() ? 0 : RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 186,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => 178,
        Architecture.X86 or Architecture.Arm or Architecture.Armv6 => 224,
        Architecture.S390x => 236,
        Architecture.Ppc64le => 207,
        _ => 0,
    };

    /// <summary>The system's id of the calling thread; 0 where it is not used.</summary>
    public static int CurrentId => s_getThreadId == 0 ? 0 : (int)SystemCall(s_getThreadId);

    /// <summary>Whether a thread waits for something: a lock, a time, a device.</summary>
    /// <param name="thread">The thread.</param>
    /// <param name="id">The value of <see cref="CurrentId"/> on that thread.</param>
    public static bool Waits(Thread thread, int id) =>
        (thread.ThreadState & ThreadState.WaitSleepJoin) != 0 || (id != 0 && WaitsInSystem(id));

    private static bool WaitsInSystem(int id)
    {
        try
        {
            // "1234 (name) S ...": the name may contain any character.
            string state = File.ReadAllText($"/proc/self/task/{id}/stat");
            int at = state.LastIndexOf(')') + 2;
            return at > 1 && at < state.Length && state[at] is 'S' or 'D';
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number);
}
