using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>
/// Finds the node that owns the outbox of a device, by the slot of its name, and sends it questions; it may be this node. It retries while
/// the slot moves. Thread-safe.
/// </summary>
internal sealed class DeviceOutboxRouter(CoapCluster cluster, DeviceOutboxes outboxes, TimeProvider time)
{
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_poll = TimeSpan.FromSeconds(20);

    public async Task<CoapQueuedRequest> AddAsync(OutboxEntry entry, CancellationToken cancellationToken)
    {
        try
        {
            return (await AskAsync(entry.Device, service => service.QueueRequestAsync(entry), s_longest, cancellationToken)
                .ConfigureAwait(false)).GetRequest(entry.Device);
        }
        catch (OperationCanceledException)
        {
            Abandon(entry.Device, entry.Id);
            throw;
        }
    }

    /// <summary>Cancels a request whose caller has gone, without waiting: no other caller knows it.</summary>
    public void Abandon(string device, Guid id) => _ = ((Task)CancelAsync(device, id, CancellationToken.None)).ContinueWith(
        static done => _ = done.Exception, TaskScheduler.Default);

    public async Task<CoapResponse> WaitAsync(string device, Guid id, CancellationToken cancellationToken) =>
        (await AskAsync(device, service => service.WaitForRequestAsync(device, id), Timeout.InfiniteTimeSpan, cancellationToken)
            .ConfigureAwait(false)).GetResponse(device);

    public Task<IReadOnlyList<CoapQueuedRequest>> ListAsync(string device, CancellationToken cancellationToken) =>
        AskAsync(device, service => service.GetQueuedRequestsAsync(device), s_longest, cancellationToken);

    public async Task<bool> CancelAsync(string device, Guid id, CancellationToken cancellationToken) =>
        (await AskAsync<bool?>(device, service => service.CancelRequestAsync(device, id), s_longest, cancellationToken)
            .ConfigureAwait(false)).GetValueOrDefault();

    /// <summary>Serves <see cref="INodeService.QueueRequestAsync"/>.</summary>
    public Task<OutboxAddition?> ServeAddAsync(OutboxEntry entry) =>
        ServeAsync<OutboxAddition?>(async stop => await outboxes.AddAsync(entry.Copy(), stop).ConfigureAwait(false));

    /// <summary>Serves <see cref="INodeService.WaitForRequestAsync"/>.</summary>
    public Task<OutboxOutcome?> ServeWaitAsync(string device, Guid id) =>
        ServeAsync<OutboxOutcome?>(async stop => await outboxes.WaitAsync(device, id, stop).ConfigureAwait(false));

    /// <summary>Serves <see cref="INodeService.GetQueuedRequestsAsync"/>.</summary>
    public Task<IReadOnlyList<CoapQueuedRequest>?> ServeListAsync(string device) =>
        ServeAsync<IReadOnlyList<CoapQueuedRequest>?>(_ => Task.FromResult<IReadOnlyList<CoapQueuedRequest>?>(outboxes.List(device)));

    /// <summary>Serves <see cref="INodeService.CancelRequestAsync"/>.</summary>
    public Task<bool?> ServeCancelAsync(string device, Guid id) =>
        ServeAsync<bool?>(async stop => await outboxes.CancelAsync(device, id, stop).ConfigureAwait(false));

    private async Task<T> AskAsync<T>(
        string device, Func<INodeService, Task<T?>> ask, TimeSpan longest, CancellationToken cancellationToken)
    {
        CoapSlot slot = DeviceName.SlotOf(device);
        long started = time.GetTimestamp();
        while (true)
        {
            CoapNodeId owner = cluster.Map[slot].Node;
            Task<T?> asked = owner == cluster.Self.Id ? ask(cluster.Service) : cluster.Peers.AskAsync(owner, ask, s_longest);
            if (await asked.WaitAsync(cancellationToken).ConfigureAwait(false) is { } answer)
            {
                return answer;
            }

            if (longest != Timeout.InfiniteTimeSpan && time.GetElapsedTime(started) >= longest)
            {
                throw CoapDeviceException.Unreachable(device,
                    $"the node that owns its outbox is not reachable, or the store is unavailable. {cluster.StoreFailure?.Message}");
            }

            await Task.Delay(s_retry, time, cancellationToken).ConfigureAwait(false);
        }
    }

    // Null: the asking node retries.
    private async Task<T?> ServeAsync<T>(Func<CancellationToken, Task<T?>> serve)
    {
        using CancellationTokenSource poll = new(s_poll, time);
        try
        {
            return await serve(poll.Token).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OutboxMovedException or OperationCanceledException or CoapException)
        {
            return default;
        }
    }
}
