using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Hosting;

/// <summary>Real clock: the time in which a host stops is that of the system.</summary>
public sealed class StoppingHostTests
{
    private readonly CoapMemoryCluster _memory = new();

    [Fact]
    public async Task A_host_stops_without_an_exception_while_the_store_does_not_answer()
    {
        HangingStore store = new(_memory.Open());
        HostApplicationBuilder builder = new();
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = FromMilliseconds(100));
        builder.Services.AddCoapState(options =>
        {
            options.Secrets = ClusterTests.Options().Secrets;
            options.Lease = FromHours(1);
            options.Moves.LeaveTimeout = FromMinutes(10);
            options.Writer.StopTimeout = TimeSpan.Zero;
        }).UseStore(_ => store);
        IHost host = builder.Build();
        await host.StartAsync();
        store.Hang();

        await host.StopAsync();

        // The container ends the cluster, which the host did not wait for.
        await ((IAsyncDisposable)host).DisposeAsync();
        Assert.True(store.IsDisposed);
    }

    private sealed class HangingStore(ICoapClusterStore inner) : ICoapClusterStore
    {
        private volatile bool _hangs;

        public bool IsDisposed { get; private set; }

        public string? Limitation => inner.Limitation;

        public void Hang() => _hangs = true;

        public async ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
        {
            await WaitAsync(cancellationToken);
            return await inner.JoinAsync(self, lease, cancellationToken);
        }

        public IAsyncEnumerable<CoapClusterSlotMap> WatchAsync(CancellationToken cancellationToken) => inner.WatchAsync(cancellationToken);

        public async ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken)
        {
            await WaitAsync(cancellationToken);
            return await inner.TryChangeAsync(wanted, cancellationToken);
        }

        public async ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
        {
            await WaitAsync(cancellationToken);
            return await inner.WriteAsync(batch, cancellationToken);
        }

        public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
            inner.ReadAsync(kind, slot, cancellationToken);

        public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
            inner.FindAsync(key, cancellationToken);

        public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) => inner.RemoveExpiredAsync(cancellationToken);

        public ValueTask DisposeAsync()
        {
            IsDisposed = true;
            return inner.DisposeAsync();
        }

        private Task WaitAsync(CancellationToken cancellationToken) =>
            _hangs ? Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken) : Task.CompletedTask;
    }
}
