using System.Diagnostics;

namespace CoAP.NET.Mutations;

/// <summary>Runs a program and reads its lines as they come.</summary>
internal sealed class ChildProcess : IDisposable
{
    /// <summary>The exit code of a program that was stopped, by its limit or by the reader of its lines.</summary>
    public const int Stopped = int.MinValue;

    private readonly Process _process = new();
    private readonly CancellationTokenSource _stop = new();

    public ChildProcess(string program, string folder, params string[] arguments) => _process.StartInfo = new ProcessStartInfo(
        program, arguments)
    { WorkingDirectory = folder, RedirectStandardOutput = true, RedirectStandardError = true };

    public IDictionary<string, string?> Environment => _process.StartInfo.Environment;

    /// <summary>Ends the program with all its children.</summary>
    public void Stop() => _stop.Cancel();

    /// <summary>Runs the program to its end, but not beyond the limit.</summary>
    /// <param name="onLine">Receives each line of its output.</param>
    /// <param name="limit">The limit.</param>
    public async Task<int> RunAsync(Action<string> onLine, TimeSpan limit)
    {
        Lock gate = new();
        void Take(object sender, DataReceivedEventArgs line)
        {
            lock (gate)
            {
                if (line.Data is { } text)
                {
                    onLine(text);
                }
            }
        }

        _process.OutputDataReceived += Take;
        _process.ErrorDataReceived += Take;
        _stop.CancelAfter(limit);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        try
        {
            await _process.WaitForExitAsync(_stop.Token);
            return _process.ExitCode;
        }
        catch (OperationCanceledException)
        {
            _process.Kill(entireProcessTree: true);
            return Stopped;
        }
    }

    public void Dispose()
    {
        _process.Dispose();
        _stop.Dispose();
    }
}
