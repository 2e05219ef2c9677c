using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>
/// The slots that are active at a node of a hub, as grains are at a silo: a slot is taken when it is activated, and released before another
/// node takes it under the fence of the release. Thread-safe.
/// </summary>
/// <param name="hub">The hub.</param>
/// <param name="network">The connections of the node.</param>
/// <param name="cluster">The node.</param>
/// <param name="end">Ends with the node.</param>
internal sealed class HubBalancer(NodeHub hub, HubNetwork network, CoapCluster cluster, CancellationToken end) : ISlotActivations
{
    private readonly Lock _gate = new();
    private readonly HashSet<CoapSlot> _active = [];
    private readonly HashSet<CoapSlot> _beginning = [];
    private readonly HashSet<CoapSlot> _ending = [];

    // When each slot was released here last, as a timestamp.
    private readonly Dictionary<CoapSlot, long> _released = [];

    /// <summary>Raised when an activation is complete or has ended.</summary>
    public event Action? Changed;

    /// <inheritdoc/>
    public bool IsActive(CoapSlot slot)
    {
        lock (_gate)
        {
            return _active.Contains(slot);
        }
    }

    /// <inheritdoc/>
    public bool CanMove(CoapSlot slot)
    {
        lock (_gate)
        {
            return _active.Contains(slot) && !_ending.Contains(slot);
        }
    }

    /// <inheritdoc/>
    public TimeSpan SinceReleaseOf(CoapSlot slot)
    {
        lock (_gate)
        {
            return _released.TryGetValue(slot, out long then) ? network.Time.GetElapsedTime(then) : TimeSpan.MaxValue;
        }
    }

    /// <inheritdoc/>
    public Task ActivateAsync(CoapSlot slot) => TakeAsync(slot, default);

    /// <inheritdoc/>
    public void End(CoapSlot slot) => _ = ReleaseAsync(slot);

    /// <inheritdoc/>
    public bool CanReach(CoapClusterSlotMap map, CoapNodeId node) => cluster.Peers.IsUp(node);

    /// <inheritdoc/>
    public void Move(CoapSlot slot, CoapClusterSlotMap map, CoapNodeId to) => _ = MoveAsync(slot, to);

    private async Task MoveAsync(CoapSlot slot, CoapNodeId to)
    {
        if (await ReleaseAsync(slot).ConfigureAwait(false) is { IsSet: true } fence)
        {
            try
            {
                await hub.CallAsync(network, to, other => other.Balancer.TakeAsync(slot, fence)).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is IOException or TimeoutException)
            {
                // It returns, because nobody takes it.
            }
        }
    }

    private async Task<bool> TakeAsync(CoapSlot slot, CoapFencingToken released)
    {
        lock (_gate)
        {
            if (_active.Contains(slot) || !_beginning.Add(slot))
            {
                return false;
            }
        }

        bool isTaken = false;
        try
        {
            isTaken = await cluster.SlotOwnership.TakeAsync(slot, released, end).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException)
        {
            // The node has ended.
        }

        lock (_gate)
        {
            _beginning.Remove(slot);
            _ = isTaken && _active.Add(slot);
        }

        Changed?.Invoke();
        return isTaken;
    }

    // Returns an unset fence if another node owns the slot, or the slot ends already.
    private async Task<CoapFencingToken> ReleaseAsync(CoapSlot slot)
    {
        lock (_gate)
        {
            if (!_active.Contains(slot) || !_ending.Add(slot))
            {
                return default;
            }
        }

        CoapFencingToken fence = await cluster.SlotOwnership.ReleaseAsync(slot, end).ConfigureAwait(false);
        lock (_gate)
        {
            _released[slot] = network.Time.GetTimestamp();
            _active.Remove(slot);
            _ending.Remove(slot);
        }

        Changed?.Invoke();
        return fence;
    }
}
