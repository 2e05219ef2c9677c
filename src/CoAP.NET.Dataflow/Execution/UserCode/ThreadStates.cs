using System.Runtime.InteropServices;

namespace CoAP.NET;

/// <summary>Whether a thread works or waits, as far as the system tells.</summary>
internal static partial class ThreadStates
{
    // Under Linux a thread that waits inside a call of the system, such as one that reads a socket, can be told from one that computes.
    private static readonly bool s_asksSystem = OperatingSystem.IsLinux();

    /// <summary>The system's number of the calling thread; 0 where it is not asked for.</summary>
    public static int CurrentId => s_asksSystem ? GetThreadId() : 0;

    /// <summary>Whether a thread waits for something: a lock, a time, a device.</summary>
    /// <param name="thread">The thread.</param>
    /// <param name="id">What <see cref="CurrentId"/> gave on it.</param>
    public static bool Waits(Thread thread, int id) =>
        (thread.ThreadState & ThreadState.WaitSleepJoin) != 0 || (id != 0 && WaitsInSystem(id));

    private static bool WaitsInSystem(int id)
    {
        try
        {
            // "1234 (name) S ...": the name may have anything in it.
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
