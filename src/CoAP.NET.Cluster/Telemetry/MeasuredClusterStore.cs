using System.Diagnostics.Metrics;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Telemetry;

/// <summary>Measures the calls of a store while there is a listener. Thread-safe.</summary>
/// <param name="inner">The store, which it disposes of.</param>
/// <param name="durations">The histogram of durations.</param>
/// <param name="time">The clock.</param>
internal sealed class MeasuredClusterStore(ICoapClusterStore inner, Histogram<double> durations, TimeProvider time) : ICoapClusterStore
{
    public const string Operation = "coap.cluster.store.operation";

    public static IReadOnlyList<string> Operations { get; } = [Join, Change, Write, Find, RemoveExpired];

    private const string Error = "error.type";
    private const string Join = "join";
    private const string Change = "change";
    private const string Write = "write";
    private const string Find = "find";
    private const string RemoveExpired = "remove_expired";

    public string? Limitation => inner.Limitation;

    public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken) =>
        MeasureAsync(Join, () => inner.JoinAsync(self, lease, cancellationToken));

    public IAsyncEnumerable<CoapClusterSlotMap> WatchAsync(CancellationToken cancellationToken) => inner.WatchAsync(cancellationToken);

    public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
        MeasureAsync(Change, () => inner.TryChangeAsync(wanted, cancellationToken));

    public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken) =>
        MeasureAsync(Write, () => inner.WriteAsync(batch, cancellationToken));

    // Its duration depends on the reader.
    public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
        inner.ReadAsync(kind, slot, cancellationToken);

    public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
        MeasureAsync(Find, () => inner.FindAsync(key, cancellationToken));

    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) =>
        MeasureAsync(RemoveExpired, () => inner.RemoveExpiredAsync(cancellationToken));

    public ValueTask DisposeAsync() => inner.DisposeAsync();

    private ValueTask<T> MeasureAsync<T>(string operation, Func<ValueTask<T>> call) =>
        durations.Enabled ? RecordAsync(operation, call) : call();

    private async ValueTask<T> RecordAsync<T>(string operation, Func<ValueTask<T>> call)
    {
        long started = time.GetTimestamp();
        string? error = null;
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            error = exception is CoapClusterStoreException { Fault: var fault } ? fault.ToString() : exception.GetType().Name;
            throw;
        }
        finally
        {
            double seconds = time.GetElapsedTime(started).TotalSeconds;
            if (error is null)
            {
                durations.Record(seconds, new KeyValuePair<string, object?>(Operation, operation));
            }
            else
            {
                durations.Record(seconds, new KeyValuePair<string, object?>(Operation, operation),
                    new KeyValuePair<string, object?>(Error, error));
            }
        }
    }
}
