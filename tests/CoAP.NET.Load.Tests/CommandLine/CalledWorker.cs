using CoAP.NET.Cli.Tests;

namespace CoAP.NET.Load.Tests.CommandLine;

/// <summary><c>coap bench worker</c> on a port of its own.</summary>
internal sealed class CalledWorker : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly CliHarness _tool;
    private readonly Task<CliRun> _serving;

    public CalledWorker(params string[] args)
    {
        _tool = new CliHarness { Stopped = _stop.Token };
        _serving = _tool.InvokeAsync(["bench", "worker", "--listen", "127.0.0.1:0", .. args]);
    }

    /// <summary>Where it says that it listens.</summary>
    public async Task<string> AddressAsync()
    {
        await _tool.WhenOutAsync("\n").Guarded();
        return _tool.OutSoFar.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)[2];
    }

    /// <summary>Stops it, and gives its exit code.</summary>
    public async Task<int> StopAsync()
    {
        await _stop.CancelAsync();
        return (await _serving.Guarded()).ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _stop.Dispose();
    }
}
