using System.Runtime.InteropServices;

namespace CoAP.NET;

/// <summary>Distinguishes computing threads from waiting ones, as far as the system reports it.</summary>
internal static partial class ThreadStates
{
    // Linux distinguishes a thread that waits in a system call, such as a read, from one that computes.
    private static readonly bool s_asksSystem = OperatingSystem.IsLinux();

    /// <summary>The system's id of the calling thread; 0 if unused.</summary>
    public static int CurrentId => s_asksSystem ? GetThreadId() : 0;

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

    [LibraryImport("libc", EntryPoint = "gettid")]
    private static partial int GetThreadId();
}
