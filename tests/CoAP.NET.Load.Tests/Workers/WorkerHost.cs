using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

/// <summary>A real worker in this process, on a port of its own.</summary>
internal sealed class WorkerHost : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _serving;
    private int _isDisposed;

    public WorkerHost(LoadRunDelegate run, WorkerOptions? options = null)
    {
        TaskCompletionSource<IPEndPoint> listening = new();
        _serving = Worker.ServeAsync(new IPEndPoint(IPAddress.Loopback, 0), run,
            (options ?? new WorkerOptions()) with { Listening = listening.SetResult, Say = Said.Enqueue }, _stop.Token);
        Address = new DnsEndPoint("127.0.0.1",
            listening.Task.IsCompleted
                ? listening.Task.Result.Port
                : throw new InvalidOperationException("It does not listen.", _serving.Exception));
    }

    public DnsEndPoint Address { get; }

    public string Name => WorkerAddress.Format(Address);

    public ConcurrentQueue<string> Said { get; } = new();

    public void Stop() => _stop.Cancel();

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            await _stop.CancelAsync();
            await _serving.Guarded();
            _stop.Dispose();
        }
    }
}
