using System.Diagnostics;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// A program that runs beside the test, with what it wrote. Ended, with its children, when disposed. Everything that waits is given up
/// after <see cref="HangLimit"/>, with what the program wrote in the message.
/// </summary>
internal sealed class PeerProcess : IAsyncDisposable
{
    public static readonly TimeSpan HangLimit = TimeSpan.FromMinutes(2);

    /// <summary>The same for transfers: thousands of blocks, or several retransmissions in a row, take long on a busy machine.</summary>
    public static readonly TimeSpan TransferHangLimit = TimeSpan.FromMinutes(3);

    private readonly Lock _gate = new();
    private readonly Process _process;
    private readonly string _commandLine;
    private readonly bool _talks;
    private readonly List<string> _output = [];
    private readonly List<string> _errors = [];
    private readonly List<(Func<string, bool> Wanted, TaskCompletionSource<string> Found)> _waiting = [];
    private readonly Task _reading;
    private bool _ended;
    private int _isDisposed;

    private PeerProcess(Process process, string commandLine, bool talks)
    {
        _process = process;
        _commandLine = commandLine;
        _talks = talks;
        _reading = ReadAllAsync();
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    /// <summary>What it wrote to its standard output so far.</summary>
    public string Output => Text(_output);

    /// <summary>What it wrote to its standard error so far.</summary>
    public string Errors => Text(_errors);

    /// <summary>Starts a program.</summary>
    /// <param name="program">Its name, to be found on the PATH, or its path.</param>
    /// <param name="arguments">Its arguments, unquoted.</param>
    /// <exception cref="InvalidOperationException">It is absent.</exception>
    public static PeerProcess Start(string program, params IEnumerable<string> arguments) => Start(program, arguments, talks: false);

    /// <summary>
    /// Starts a program that is typed to, and that may write any octets: its output has a character for each (Latin-1), and lines end at a
    /// line feed alone.
    /// </summary>
    /// <param name="program">As for <see cref="Start(string, IEnumerable{string})"/>.</param>
    /// <param name="arguments">Its arguments, unquoted.</param>
    public static PeerProcess StartTalking(string program, params IEnumerable<string> arguments) =>
        Start(program, arguments, talks: true);

    /// <summary>Types octets, which the program reads at once.</summary>
    public async Task WriteAsync(ReadOnlyMemory<byte> octets)
    {
        await _process.StandardInput.BaseStream.WriteAsync(octets);
        await _process.StandardInput.BaseStream.FlushAsync();
    }

    /// <summary>Ends what is typed.</summary>
    public void EndInput() => _process.StandardInput.Close();

    /// <summary>Waits for a line of either output, also one that came already.</summary>
    /// <exception cref="InvalidOperationException">The program ended without it, or it did not come.</exception>
    public async Task<string> WaitForLineAsync(Func<string, bool> wanted)
    {
        TaskCompletionSource<string> found = new(RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (_output.Concat(_errors).FirstOrDefault(wanted) is { } line)
            {
                return line;
            }

            if (_ended)
            {
                throw new InvalidOperationException(Say("ended without the line that was waited for"));
            }

            _waiting.Add((wanted, found));
        }

        try
        {
            return await found.Task.WaitAsync(HangLimit);
        }
        catch (TimeoutException error)
        {
            throw new InvalidOperationException(Say($"did not write the line that was waited for within {HangLimit}"), error);
        }
    }

    /// <summary>Waits for so many lines of either output, also those that came already.</summary>
    /// <exception cref="InvalidOperationException">The program ended without them, or they did not come.</exception>
    public Task<string> WaitForLinesAsync(Func<string, bool> wanted, int count)
    {
        // Each line is shown to it once, and to one thread at a time.
        int seen = 0;
        return WaitForLineAsync(line => wanted(line) && ++seen == count);
    }

    /// <summary>Waits until it has ended and everything it wrote was read.</summary>
    /// <param name="limit">When to give up; null for <see cref="HangLimit"/>.</param>
    /// <returns>What it came to.</returns>
    /// <exception cref="InvalidOperationException">It did not end.</exception>
    public async Task<PeerResult> WaitForExitAsync(TimeSpan? limit = null)
    {
        TimeSpan patience = limit ?? HangLimit;
        try
        {
            await _process.WaitForExitAsync().WaitAsync(patience);
            await _reading.WaitAsync(patience);
        }
        catch (TimeoutException error)
        {
            throw new InvalidOperationException(Say($"did not end within {patience}"), error);
        }

        return new PeerResult(_process.ExitCode, Output, Errors, _commandLine);
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
        }

        await _process.WaitForExitAsync().WaitAsync(HangLimit);
        await _reading.WaitAsync(HangLimit);
        _process.Dispose();
    }

    /// <summary>A sentence about the program, with what it wrote.</summary>
    public string Say(string what) =>
        $"'{_commandLine}' {what}.{Environment.NewLine}Output:{Environment.NewLine}{Output}{Environment.NewLine}Errors:{Environment.NewLine}{Errors}";

    private static PeerProcess Start(string program, IEnumerable<string> arguments, bool talks)
    {
        string path = (program.Contains(Path.DirectorySeparatorChar) ? program : PeerProgram.Find(program))
            ?? throw new InvalidOperationException(PeerProgram.Absent(program));
        ProcessStartInfo start = new(path, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
            StandardOutputEncoding = talks ? Encoding.Latin1 : Encoding.UTF8,
            StandardErrorEncoding = Encoding.UTF8,
        };
        Process process = Process.Start(start)!;
        if (!talks)
        {
            // Nothing is typed in; a program that waits for it sees the end.
            process.StandardInput.Close();
        }

        return new PeerProcess(process, $"{program} {string.Join(' ', start.ArgumentList)}", talks);
    }

    private async Task ReadAllAsync()
    {
        await Task.WhenAll(ReadAsync(_process.StandardOutput, _output), ReadAsync(_process.StandardError, _errors));
        (Func<string, bool> Wanted, TaskCompletionSource<string> Found)[] left;
        lock (_gate)
        {
            _ended = true;
            left = [.. _waiting];
            _waiting.Clear();
        }

        foreach ((_, TaskCompletionSource<string> found) in left)
        {
            found.TrySetException(new InvalidOperationException(Say("ended without the line that was waited for")));
        }
    }

    private async Task ReadAsync(StreamReader reader, List<string> lines)
    {
        while (await (_talks ? ReadLineAsync(reader) : reader.ReadLineAsync()) is { } line)
        {
            TaskCompletionSource<string>[] found;
            lock (_gate)
            {
                lines.Add(line);
                found = [.. _waiting.Where(waiting => waiting.Wanted(line)).Select(waiting => waiting.Found)];
                _waiting.RemoveAll(waiting => found.Contains(waiting.Found));
            }

            foreach (TaskCompletionSource<string> one in found)
            {
                one.TrySetResult(line);
            }
        }
    }

    private static async Task<string?> ReadLineAsync(StreamReader reader)
    {
        StringBuilder line = new();
        char[] one = new char[1];
        while (await reader.ReadAsync(one.AsMemory()) > 0)
        {
            if (one[0] == '\n')
            {
                return line.ToString();
            }

            line.Append(one[0]);
        }

        return line.Length > 0 ? line.ToString() : null;
    }

    private string Text(List<string> lines)
    {
        lock (_gate)
        {
            return string.Join('\n', lines);
        }
    }
}

/// <summary>What a program that has ended came to.</summary>
/// <param name="ExitCode">Its exit status. libcoap's client ends with 0 for errors and time-outs too: read what it wrote.</param>
/// <param name="Output">What it wrote to its standard output, without the last end of line.</param>
/// <param name="Errors">What it wrote to its standard error, without the last end of line.</param>
/// <param name="CommandLine">How it was started.</param>
internal sealed record PeerResult(int ExitCode, string Output, string Errors, string CommandLine);
