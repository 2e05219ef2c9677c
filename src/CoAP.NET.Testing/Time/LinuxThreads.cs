using System.Buffers.Text;
using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Testing;

/// <summary>
/// The states of the threads of this process under Linux, read from files that stay open: a look at some 30 threads takes a tenth of a
/// millisecond, that of <see cref="System.Diagnostics.Process"/> several. Not thread-safe.
/// </summary>
internal sealed class LinuxThreads : IDisposable
{
    private const string Tasks = "/proc/self/task";
    private const string Process = "/proc/self/stat";

    // "1234 (name) S 1 2 3 ...": the number of threads is so many fields after the state.
    private const int ThreadsAfterState = 17;

    // Opening the files of all threads takes longer than some looks, so whoever looks next takes those of who looked last.
    private static LinuxThreads? s_spare;

    // In the order in which they are read: a thread that was found running is the first next time, as it is likely to run still.
    private readonly List<(int Id, SafeFileHandle File, SafeFileHandle? Waits)> _open = [];
    private readonly HashSet<int> _known = [];
    private readonly HashSet<int> _seen = [];
    private readonly byte[] _buffer = new byte[512];
    private readonly SafeFileHandle _process = Open(Process);

    private LinuxThreads()
    {
    }

    /// <summary>
    /// Whether the kernel tells where threads wait: those that tell nobody say 0 of all of them. False until one was told of.
    /// </summary>
    public bool TellsWaits { get; private set; }

    /// <summary>Gives one that nobody else uses; <see cref="GiveBack"/> it.</summary>
    public static LinuxThreads Take() => Interlocked.Exchange(ref s_spare, null) ?? new LinuxThreads();

    /// <summary>Lets others use it.</summary>
    public void GiveBack() => Interlocked.Exchange(ref s_spare, this)?.Dispose();

    /// <summary>
    /// Whether more than one of the threads that are known runs, or could run: the one that asks does. False says nothing of threads that
    /// began since they were listed.
    /// </summary>
    /// <param name="looksClosely">
    /// Whether a thread counts that is just falling asleep, or that the runtime has sleep for a moment of real time, such as one that
    /// allocates much during a garbage collection: it goes on by itself. (What sleeps by <c>Thread.Sleep</c> or waits with a
    /// time-out does not count.) And whether one counts that has ended: as many threads as before may be others than before.
    /// </param>
    public bool AreOthersRunning(bool looksClosely)
    {
        int running = 0;
        bool haveEnded = false;
        for (int i = 0; i < _open.Count; i++)
        {
            (int Id, SafeFileHandle File, SafeFileHandle? Waits) thread = _open[i];

            // Where it waits comes first: one that wakes up between both looks is found running.
            Wait wait = looksClosely ? WaitOf(thread.Waits) : Wait.Unknown;
            if (wait == Wait.Idle)
            {
                continue;
            }

            State state = StateOf(thread.File);
            switch (wait == Wait.AwakeOrSoon && state == State.Asleep ? State.Running : state)
            {
                case State.Ended:
                    // Another one may have its number now.
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

    /// <summary>Lists the threads anew where their number has changed.</summary>
    /// <returns>Whether there is one that was not known.</returns>
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
            // It ended just now.
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

    // Not every kernel has it, or lets it be read.
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

    // The file has the name of the function of the kernel that the thread waits in, or 0 where it is ready to run: one that is about to
    // fall asleep says S already, and is so for long where it loses its processor just then.
    private Wait WaitOf(SafeFileHandle? waits)
    {
        try
        {
            ReadOnlySpan<byte> where = waits is null ? default : _buffer.AsSpan(0, RandomAccess.Read(waits, _buffer, 0));
            if (where.Length == 0)
            {
                return Wait.Unknown;
            }

            bool isAwake = where.SequenceEqual("0"u8);
            TellsWaits |= !isAwake;

            // Most threads: they wait for each other, or for a socket. Their state need not be read.
            return where.StartsWith("futex_wait"u8) || where.StartsWith("futex_do_wait"u8) || where.StartsWith("ep_poll"u8) ? Wait.Idle
                : TellsWaits && (isAwake || where.IndexOf("nanosleep"u8) >= 0) ? Wait.AwakeOrSoon
                : Wait.Unknown;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return Wait.Unknown;
        }
    }

    // "1234 (name) S ...": the name may have anything in it. Ready but waiting for a processor is R as well. D waits for a disk, as for a
    // page of code that is not in memory, and goes on by itself.
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

    private enum Wait
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
