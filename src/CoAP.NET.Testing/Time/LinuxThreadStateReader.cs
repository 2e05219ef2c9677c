using System.Buffers.Text;
using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Testing.Time;

/// <summary>
/// Reads the states of the threads of this process on Linux, from files that stay open. Not thread-safe. A check of some 30 threads takes a
/// tenth of a millisecond, that of <see cref="System.Diagnostics.Process"/> several.
/// </summary>
internal sealed class LinuxThreadStateReader : IDisposable
{
    private const string Tasks = "/proc/self/task";
    private const string Process = "/proc/self/stat";

    // "1234 (name) S 1 2 3 ...": the field with the number of threads is this many fields after the state.
    private const int ThreadsAfterState = 17;

    // Opening the files of all threads takes longer than some checks, so the next user reuses those of the previous one.
    private static LinuxThreadStateReader? s_spare;

    // In reading order: a thread that was found running is checked first next time, because it probably still runs.
    private readonly List<(int Id, SafeFileHandle File, SafeFileHandle? Waits)> _open = [];
    private readonly HashSet<int> _known = [];
    private readonly HashSet<int> _seen = [];
    private readonly byte[] _buffer = new byte[512];
    private readonly SafeFileHandle _process = Open(Process);

    private LinuxThreadStateReader()
    {
    }

    /// <summary>
    /// Whether the kernel reports where threads wait. Other kernels report 0 for all threads. False until a thread was reported.
    /// </summary>
    public bool TellsWaits { get; private set; }

    public static LinuxThreadStateReader Take() => Interlocked.Exchange(ref s_spare, null) ?? new LinuxThreadStateReader();

    public void GiveBack() => Interlocked.Exchange(ref s_spare, this)?.Dispose();

    /// <summary>
    /// Whether a known thread other than the calling one runs or could run. False says nothing about threads that started after the last
    /// listing.
    /// </summary>
    /// <param name="looksClosely">
    /// Whether to count threads that are just falling asleep, that the runtime puts to sleep for a moment of real time, or that have ended.
    /// The second kind allocates much during a garbage collection, for example, and continues by itself. (Threads in <c>Thread.Sleep</c> or
    /// with a timeout do not count.) Ended threads count because the same number of threads may consist of different ones.
    /// </param>
    public bool AreOthersRunning(bool looksClosely)
    {
        int running = 0;
        bool haveEnded = false;
        for (int i = 0; i < _open.Count; i++)
        {
            (int Id, SafeFileHandle File, SafeFileHandle? Waits) thread = _open[i];

            // Reads the wait first: a thread that wakes up between both reads is found running.
            WaitReason wait = looksClosely ? WaitOf(thread.Waits) : WaitReason.Unknown;
            if (wait == WaitReason.Idle)
            {
                continue;
            }

            State state = StateOf(thread.File);
            switch (wait == WaitReason.AwakeOrSoon && state == State.Asleep ? State.Running : state)
            {
                case State.Ended:
                    // Another thread may have its number now.
                    Forget(i--);
                    haveEnded = true;
                    break;
                case State.Running:
                    _open.RemoveAt(i);
                    _open.Insert(0, thread);
                    if (++running > 1)
                    {
                        return true;
                    }

                    break;
                default:
                    break;
            }
        }

        return looksClosely && haveEnded;
    }

    /// <summary>Lists the threads again if their number has changed.</summary>
    /// <returns>Whether there is a new thread.</returns>
    public bool HaveOthersBegun()
    {
        if (CountThreads() == _open.Count)
        {
            return false;
        }

        bool haveBegun = false;
        _seen.Clear();
        foreach (string path in Directory.EnumerateDirectories(Tasks))
        {
            int id = int.Parse(path.AsSpan(Tasks.Length + 1), CultureInfo.InvariantCulture);
            _seen.Add(id);
            haveBegun |= !_known.Contains(id) && TryOpen(id, path);
        }

        for (int i = _open.Count - 1; _open.Count > _seen.Count && i >= 0; i--)
        {
            if (!_seen.Contains(_open[i].Id))
            {
                Forget(i);
            }
        }

        return haveBegun;
    }

    public void Dispose()
    {
        for (int i = _open.Count - 1; i >= 0; i--)
        {
            Forget(i);
        }

        _process.Dispose();
    }

    private int CountThreads()
    {
        ReadOnlySpan<byte> stat = _buffer.AsSpan(0, RandomAccess.Read(_process, _buffer, 0));
        int at = stat.LastIndexOf((byte)')') + 2;
        int field = 0;
        foreach (Range range in stat[Math.Min(at, stat.Length)..].Split((byte)' '))
        {
            if (field++ == ThreadsAfterState)
            {
                return Utf8Parser.TryParse(stat[at..][range], out int threads, out _) ? threads : -1;
            }
        }

        return -1;
    }

    private bool TryOpen(int id, string path)
    {
        try
        {
            _open.Add((id, Open($"{path}/stat"), TryOpenWaits($"{path}/wchan")));
            return _known.Add(id);
        }
        catch (IOException)
        {
            // It has just ended.
            return false;
        }
    }

    private void Forget(int index)
    {
        (int id, SafeFileHandle file, SafeFileHandle? waits) = _open[index];
        _open.RemoveAt(index);
        _known.Remove(id);
        file.Dispose();
        waits?.Dispose();
    }

    private static SafeFileHandle Open(string path) =>
        File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);

    // Not every kernel has the file, or allows reading it.
    private static SafeFileHandle? TryOpenWaits(string path)
    {
        try
        {
            return Open(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    // The file has the name of the kernel function that the thread waits in, or 0 for a ready thread. A thread that is about to fall asleep
    // already reports S, and does so for long if it loses its processor at that moment.
    private WaitReason WaitOf(SafeFileHandle? waits)
    {
        try
        {
            ReadOnlySpan<byte> where = waits is null ? default : _buffer.AsSpan(0, RandomAccess.Read(waits, _buffer, 0));
            if (where.Length == 0)
            {
                return WaitReason.Unknown;
            }

            bool isAwake = where.SequenceEqual("0"u8);
            TellsWaits |= !isAwake;

            // Most threads wait for each other or for a socket. Their state need not be read.
            return where.StartsWith("futex_wait"u8) || where.StartsWith("futex_do_wait"u8) || where.StartsWith("ep_poll"u8)
                ? WaitReason.Idle
                : TellsWaits && (isAwake || where.IndexOf("nanosleep"u8) >= 0) ? WaitReason.AwakeOrSoon
                : WaitReason.Unknown;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return WaitReason.Unknown;
        }
    }

    // "1234 (name) S ...": the name can contain anything. A ready thread that waits for a processor is R as well. D waits for a disk, such
    // as for a page of code that is not in memory, and continues by itself.
    private State StateOf(SafeFileHandle file)
    {
        try
        {
            ReadOnlySpan<byte> stat = _buffer.AsSpan(0, RandomAccess.Read(file, _buffer, 0));
            int at = stat.LastIndexOf((byte)')') + 2;
            return at <= 1 || at >= stat.Length ? State.Ended
                : stat[at] is (byte)'R' or (byte)'W' or (byte)'D' ? State.Running
                : State.Asleep;
        }
        catch (IOException)
        {
            return State.Ended;
        }
    }

    private enum WaitReason
    {
        Unknown,
        Idle,
        AwakeOrSoon,
    }

    private enum State
    {
        Asleep,
        Running,
        Ended,
    }
}
