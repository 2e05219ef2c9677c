using System.Text;

namespace CoAP.NET.Load.Tests.CommandLine;

/// <summary>The program as a worker on a port of its own.</summary>
internal sealed class CalledWorker : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly FirstLine _output = new();
    private readonly Task<int> _serving;

    public CalledWorker(params string[] args) => _serving = LoadProgram.RunAsync(["worker", "--listen", "127.0.0.1:0", .. args], _output, TextWriter.Null, _stop.Token);

    /// <summary>Where it says that it listens.</summary>
    public async Task<string> AddressAsync() => (await _output.Line.Guarded()).Split(' ')[2];

    /// <summary>Stops it, and gives its exit code.</summary>
    public async Task<int> StopAsync()
    {
        await _stop.CancelAsync();
        return await _serving.Guarded();
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _stop.Dispose();
    }

    private sealed class FirstLine : TextWriter
    {
        private readonly TaskCompletionSource<string> _line = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task<string> Line => _line.Task;

        public override Encoding Encoding => Encoding.UTF8;

        public override void WriteLine(string? value) => _line.TrySetResult(value ?? "");
    }
}
