using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Writing;

/// <summary>A store whose writes end when and how the test says.</summary>
internal sealed class ScriptedStore : ICoapClusterStore
{
    private readonly Lock _gate = new();
    private readonly Queue<Call> _calls = [];
    private readonly Queue<TaskCompletionSource<Call>> _waiting = [];

    public CoapMemoryCluster Cluster { get; } = new();

    /// <summary>The next write that comes, in the order in which they come.</summary>
    public Task<Call> NextAsync()
    {
        lock (_gate)
        {
            if (_calls.TryDequeue(out Call? call))
            {
                return Task.FromResult(call);
            }

            TaskCompletionSource<Call> waiter = new(RunContinuationsAsynchronously);
            _waiting.Enqueue(waiter);
            return waiter.Task;
        }
    }

    public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        Call call = new(batch.ToArray(), cancellationToken);
        TaskCompletionSource<Call>? waiter;
        lock (_gate)
        {
            if (!_waiting.TryDequeue(out waiter))
            {
                _calls.Enqueue(call);
            }
        }

        waiter?.SetResult(call);
        return new ValueTask<CoapWriteResult>(call.Result);
    }

    public string? Limitation => null;

    public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public IAsyncEnumerable<CoapClusterSlotMap> WatchAsync(CancellationToken cancellationToken) => throw new NotSupportedException();

    public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) => throw new NotSupportedException();

    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) => throw new NotSupportedException();

    public ValueTask DisposeAsync() => default;

    internal sealed class Call
    {
        private readonly TaskCompletionSource<CoapWriteResult> _done = new(RunContinuationsAsynchronously);

        public Call(CoapRecordWrite[] batch, CancellationToken cancellationToken)
        {
            Batch = batch;
            cancellationToken.Register(() => _done.TrySetCanceled(cancellationToken));
        }

        public CoapRecordWrite[] Batch { get; }

        public Task<CoapWriteResult> Result => _done.Task;

        /// <summary>Names and states, in the order of the batch.</summary>
        public string[] Texts => [.. Batch.Select(change =>
            $"{Encoding.UTF8.GetString(change.Key.Bytes.Span)}={Encoding.UTF8.GetString(change.State.Span)}")];

        public void Write(CoapWriteOutcome outcome = CoapWriteOutcome.Written) =>
            _done.TrySetResult(new CoapWriteResult([.. Batch.Select(_ => outcome)]));

        public void Fail(CoapClusterStoreFault fault = CoapClusterStoreFault.Unavailable) =>
            _done.TrySetException(new CoapClusterStoreException(fault, "The store of the test is away."));

        public void Fail(Exception exception) => _done.TrySetException(exception);

        public void Answer(CoapWriteResult result) => _done.TrySetResult(result);
    }
}
