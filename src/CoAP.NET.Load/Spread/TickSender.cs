using System.Threading.Channels;

namespace CoAP.NET.Load;

/// <summary>Sends ticks without delaying the run that reports them: it drops ticks if the coordinator does not read.</summary>
internal sealed class TickSender(SpreadConnection connection) : IProgress<LoadTick>
{
    private readonly Channel<LoadTick> _ticks =
        Channel.CreateBounded<LoadTick>(new BoundedChannelOptions(8) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    /// <inheritdoc/>
    public void Report(LoadTick value) => _ticks.Writer.TryWrite(WorkerFigures.Clean(value));

    /// <summary>Sends until <see cref="Complete"/>.</summary>
    /// <exception cref="SpreadException">The coordinator no longer reads.</exception>
    public async Task PumpAsync()
    {
        await foreach (LoadTick tick in _ticks.Reader.ReadAllAsync())
        {
            await connection.SendAsync(new TickMessage(tick), CancellationToken.None);
        }
    }

    /// <summary>Stops accepting ticks.</summary>
    public void Complete() => _ticks.Writer.TryComplete();
}
