using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Testing;

/// <summary>
/// The states of the threads of this process under Linux, read from files that stay open: a look at some 30 threads takes tens of
/// microseconds, that of <see cref="System.Diagnostics.Process"/> milliseconds. Not thread-safe.
/// </summary>
internal sealed class LinuxThreads : IDisposable
{
    private const string Tasks = "/proc/self/task";

    private readonly Dictionary<int, SafeFileHandle> _open = [];
    private readonly HashSet<int> _seen = [];
    private readonly byte[] _buffer = new byte[512];

    /// <summary>Whether more than one thread runs, or could run: the one that asks does.</summary>
    public bool AreOthersRunning()
    {
        List();
        int running = 0;
        foreach (SafeFileHandle file in _open.Values)
        {
            if (IsRunning(file) && ++running > 1)
            {
                return true;
            }
        }

        return false;
    }

    public void Dispose()
    {
        foreach (SafeFileHandle file in _open.Values)
        {
            file.Dispose();
        }

        _open.Clear();
    }

    private void List()
    {
        _seen.Clear();
        foreach (string path in Directory.EnumerateDirectories(Tasks))
        {
            int id = int.Parse(path.AsSpan(Tasks.Length + 1), CultureInfo.InvariantCulture);
            _seen.Add(id);
            if (!_open.ContainsKey(id))
            {
                try
                {
                    _open.Add(id, File.OpenHandle($"{path}/stat", FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
                }
                catch (IOException)
                {
                    // It ended just now.
                }
            }
        }

        if (_open.Count > _seen.Count)
        {
            foreach (int id in _open.Keys)
            {
                if (!_seen.Contains(id) && _open.Remove(id, out SafeFileHandle? file))
                {
                    file.Dispose();
                }
            }
        }
    }

    // "1234 (name) S ...": the name may have anything in it. Ready but waiting for a processor is R as well. D waits for a disk, as for a
    // page of code that is not in memory, and goes on by itself.
    private bool IsRunning(SafeFileHandle file)
    {
        try
        {
            ReadOnlySpan<byte> stat = _buffer.AsSpan(0, RandomAccess.Read(file, _buffer, 0));
            int at = stat.LastIndexOf((byte)')') + 2;
            return at > 1 && at < stat.Length && stat[at] is (byte)'R' or (byte)'W' or (byte)'D';
        }
        catch (IOException)
        {
            // The thread has ended, or another one has its number now: whoever looks next lists them anew.
            return false;
        }
    }
}
