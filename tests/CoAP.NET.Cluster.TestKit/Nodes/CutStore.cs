using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>A store of a node that dies or sleeps when the test says: nothing it says arrives.</summary>
internal sealed class CutStore(ICoapClusterStore inner) : ICoapClusterStore
{
    private readonly CancellationTokenSource _cut = new();
    private volatile TaskCompletionSource? _asleep;
    private volatile TaskCompletionSource? _slow;
    private volatile TaskCompletionSource? _late;
    private (CoapRecordKind Kind, TaskCompletionSource End)? _held;

    /// <summary>Runs before records of a slot are read.</summary>
    public Action<CoapRecordKind, CoapSlot>? OnReading { get; set; }

    public async Task CutAsync()
    {
        await _cut.CancelAsync();
        await inner.DisposeAsync();
    }

    /// <summary>It hears nothing of the store from now on, and nothing it says arrives.</summary>
    public void Sleep() => _asleep = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>What is written waits from now on.</summary>
    public void HoldWrites() => _slow = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Reading of a kind waits from now on.</summary>
    public void HoldReads(CoapRecordKind kind) =>
        _held = (kind, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));

    /// <summary>A record that is looked up from now on arrives later, as it was at the time of the look-up.</summary>
    public void HoldFound() => _late = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Wake()
    {
        _late?.TrySetResult();
        _late = null;
        _held?.End.TrySetResult();
        TaskCompletionSource? asleep = _asleep;
        TaskCompletionSource? slow = _slow;
        (_asleep, _slow) = (null, null);
        asleep?.TrySetResult();
        slow?.TrySetResult();
    }

    public string? Limitation => inner.Limitation;

    public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken) =>
        CallAsync(store => store.JoinAsync(self, lease, cancellationToken));

    public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync(
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _cut.Token);
        IAsyncEnumerator<CoapClusterSlotMap> maps = Check().WatchAsync(ends.Token).GetAsyncEnumerator(ends.Token);
        await using (maps)
        {
            while (await NextAsync(maps, cancellationToken))
            {
                await (_asleep?.Task ?? Task.CompletedTask).WaitAsync(cancellationToken);
                yield return maps.Current;
            }
        }
    }

    public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
        CallAsync(store => store.TryChangeAsync(wanted, cancellationToken));

    public async ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        await (_slow?.Task ?? Task.CompletedTask).WaitAsync(cancellationToken);
        return await CallAsync(store => store.WriteAsync(batch, cancellationToken));
    }

    public async IAsyncEnumerable<CoapRecord> ReadAsync(
        CoapRecordKind kind, CoapSlot slot, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        OnReading?.Invoke(kind, slot);
        if (_held is { } held && held.Kind == kind)
        {
            await held.End.Task.WaitAsync(cancellationToken);
        }

        await foreach (CoapRecord record in Check().ReadAsync(kind, slot, cancellationToken))
        {
            yield return record;
        }
    }

    public async ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken)
    {
        OnReading?.Invoke(key.Kind, key.Slot);
        TaskCompletionSource? late = _late;
        CoapRecord? found = await CallAsync(store => store.FindAsync(key, cancellationToken));
        await (late?.Task ?? Task.CompletedTask).WaitAsync(cancellationToken);
        return found;
    }

    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) =>
        CallAsync(store => store.RemoveExpiredAsync(cancellationToken));

    public ValueTask DisposeAsync() => inner.DisposeAsync();

    // A call that began just before the cut meets the disposed store.
    private async ValueTask<T> CallAsync<T>(Func<ICoapClusterStore, ValueTask<T>> call)
    {
        try
        {
            return await call(Check());
        }
        catch (ObjectDisposedException) when (_cut.IsCancellationRequested)
        {
            throw Away();
        }
    }

    private async Task<bool> NextAsync(IAsyncEnumerator<CoapClusterSlotMap> maps, CancellationToken cancellationToken)
    {
        try
        {
            return await maps.MoveNextAsync();
        }
        catch (Exception exception) when (
            _cut.IsCancellationRequested && exception is OperationCanceledException or ObjectDisposedException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw Away();
        }
    }

    private ICoapClusterStore Check() => _cut.IsCancellationRequested || _asleep is not null ? throw Away() : inner;

    private static CoapClusterStoreException Away() => new(CoapClusterStoreFault.Unavailable, "The test has cut the node off.");
}
