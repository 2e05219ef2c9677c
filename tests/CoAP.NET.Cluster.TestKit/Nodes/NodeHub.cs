using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>
/// Connects the nodes of one process or of one simulated world, as Orleans connects those of several processes: it knows which are live,
/// carries calls between them, and has faults. Without a delay a call arrives at once, in another task. Thread-safe.
/// </summary>
/// <remarks>
/// Everything that happens at a node waits for the clock of that node. A process of a simulation that is suspended therefore hears nothing,
/// and a dead one never does.
/// </remarks>
internal sealed class NodeHub
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, HubNetwork> _nodes = [];
    private readonly HashSet<CoapNodeId> _dead = [];
    private readonly HashSet<(CoapNodeId, CoapNodeId)> _cuts = [];
    private TaskCompletionSource _mended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The time that a call takes in one direction, and that news of a death take. Default zero.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>
    /// The shortest time after which nodes take the slots of one that does not answer. Default: they wait for the end of its lease.
    /// </summary>
    public TimeSpan DeathDelay { get; init; } = TimeSpan.MaxValue;

    /// <summary>Decides whether a call from one node to another fails, as when its connection breaks. Default null: none fails.</summary>
    public Func<CoapNodeId, CoapNodeId, bool>? Loses { get; set; }

    /// <summary>
    /// Decides how much later than usual a call arrives, so that later ones overtake it, and whether it arrives a second time. Default
    /// null: neither.
    /// </summary>
    public Func<(TimeSpan Late, bool IsDoubled)>? Disturbs { get; set; }

    /// <summary>Makes a node that this hub connects with the others. Its balancer decides about slots until the node ends.</summary>
    /// <param name="store">The store.</param>
    /// <param name="options">The options. Their <see cref="CoapClusterOptions.Network"/> is set here.</param>
    /// <param name="time">The clock of the node; null for the system clock.</param>
    /// <param name="random">The source of the node's id and of nonces; null for the operating system.</param>
    /// <param name="logger">The log; null for none.</param>
    /// <param name="address">The address of its host, to which other nodes relay datagrams by UDP; null for the loopback address.</param>
    /// <param name="balances">Whether the node takes slots and gives them away by itself.</param>
    /// <returns>The node, which was not started.</returns>
    public CoapCluster Make(
        ICoapClusterStore store, CoapClusterOptions options, TimeProvider? time = null, CoapRandomSource? random = null,
        ILogger? logger = null, CoapAddress? address = null, bool balances = true)
    {
        time ??= TimeProvider.System;
        HubNetwork? network = null;
        options.Network = id => network = new HubNetwork(this, id, time, address);
        CoapCluster cluster = new(store, options, time, random, logger);
        network!.Start(cluster);
        if (balances)
        {
            network.Balance(cluster, logger);
        }

        return cluster;
    }

    /// <summary>Lets nothing pass between two nodes: calls wait, and fail after 30 s.</summary>
    /// <param name="one">One node.</param>
    /// <param name="other">The other one.</param>
    public void Cut(CoapNodeId one, CoapNodeId other)
    {
        lock (_gate)
        {
            _cuts.UnionWith([(one, other), (other, one)]);
        }
    }

    /// <summary>Lets nothing pass from one node to another: calls, and answers to calls of the other one, wait.</summary>
    /// <param name="from">The node that is not heard.</param>
    /// <param name="to">The node that does not hear it.</param>
    public void CutOneWay(CoapNodeId from, CoapNodeId to)
    {
        lock (_gate)
        {
            _cuts.Add((from, to));
        }
    }

    /// <summary>Whether nothing passes from one node to another.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="to">The receiver.</param>
    public bool IsCut(CoapNodeId from, CoapNodeId to) => MendOf(from, to) is not null;

    /// <summary>Ends all cuts.</summary>
    public void Mend() => Mend(_ => true);

    /// <summary>Ends the cuts between two nodes.</summary>
    /// <param name="one">One node.</param>
    /// <param name="other">The other one.</param>
    public void Mend(CoapNodeId one, CoapNodeId other) => Mend(cut => cut == (one, other) || cut == (other, one));

    /// <summary>A node is dead for the others from now on, whether or not it runs on and its lease is valid.</summary>
    /// <param name="node">The node.</param>
    public void Kill(CoapNodeId node) => Change(() => _dead.Add(node));

    /// <summary>A node is not dead any more.</summary>
    /// <param name="node">The node.</param>
    public void Revive(CoapNodeId node) => Change(() => _dead.Remove(node));

    /// <summary>Whether a node is live: true and false are certain; null if the hub has never heard of it.</summary>
    /// <param name="node">The node.</param>
    public bool? IsLive(CoapNodeId node)
    {
        lock (_gate)
        {
            return _dead.Contains(node) ? false : _nodes.ContainsKey(node) ? true : null;
        }
    }

    /// <summary>Adds a node.</summary>
    /// <param name="network">Its connections.</param>
    internal void Add(HubNetwork network)
    {
        lock (_gate)
        {
            _nodes.Add(network.Self, network);
        }
    }

    /// <summary>Removes a node that has ended.</summary>
    /// <param name="network">Its connections.</param>
    internal void Remove(HubNetwork network) => Change(() => _nodes.Remove(network.Self) && _dead.Add(network.Self));

    /// <summary>Returns the address of the host of a node; null if there is no such node.</summary>
    /// <param name="node">The node.</param>
    internal CoapAddress? HostOf(CoapNodeId node) => Find(node)?.Host;

    /// <summary>Does something at another node.</summary>
    /// <typeparam name="T">The type of its result.</typeparam>
    /// <param name="from">The calling node.</param>
    /// <param name="to">The other one.</param>
    /// <param name="act">What to do.</param>
    /// <param name="timeout">The maximum time to wait for the answer; null for 30 s.</param>
    /// <returns>The result.</returns>
    /// <exception cref="IOException">The other node has ended, or the call was lost.</exception>
    /// <exception cref="TimeoutException">There was no answer in time.</exception>
    internal Task<T> CallAsync<T>(HubNetwork from, CoapNodeId to, Func<HubNetwork, Task<T>> act, TimeSpan? timeout = null) =>
        CallOnceAsync(from, to, act).WaitAsync(timeout ?? s_timeout, from.Time);

    private async Task<T> CallOnceAsync<T>(HubNetwork from, CoapNodeId to, Func<HubNetwork, Task<T>> act)
    {
        HubNetwork target = Find(to) ?? throw new IOException($"Node {to} does not run.");
        (TimeSpan late, bool isDoubled) = Disturbs?.Invoke() ?? default;
        if (late > TimeSpan.Zero)
        {
            await Task.Delay(late, target.Time).ConfigureAwait(false);
        }

        await ArriveAsync(from, target).ConfigureAwait(false);
        if (Loses?.Invoke(from.Self, to) == true)
        {
            throw new IOException($"The connection between node {from.Self} and node {to} was reset.");
        }

        T result = await act(Find(to) ?? throw new IOException($"Node {to} does not run.")).ConfigureAwait(false);
        if (isDoubled)
        {
            _ = RepeatAsync(from, to, act);
        }

        await ArriveAsync(target, from).ConfigureAwait(false);
        return result;
    }

    // The caller has an answer: nobody waits for this one.
    private async Task RepeatAsync<T>(HubNetwork from, CoapNodeId to, Func<HubNetwork, Task<T>> act)
    {
        try
        {
            if (Find(to) is { } target)
            {
                await ArriveAsync(from, target).ConfigureAwait(false);
                await act(target).ConfigureAwait(false);
            }
        }
        catch (Exception exception) when (
            exception is IOException or TimeoutException or OperationCanceledException or ObjectDisposedException)
        {
            // As if it had been lost.
        }
    }

    private async Task ArriveAsync(HubNetwork from, HubNetwork to)
    {
        do
        {
            while (MendOf(from.Self, to.Self) is { } mended)
            {
                await mended.ConfigureAwait(false);
            }

            await Task.Delay(Delay, to.Time).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        }
        while (MendOf(from.Self, to.Self) is not null);
    }

    private void Mend(Predicate<(CoapNodeId, CoapNodeId)> isMended)
    {
        TaskCompletionSource mended;
        lock (_gate)
        {
            _cuts.RemoveWhere(isMended);
            mended = _mended;
            _mended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        // Calls over other cuts wait again.
        mended.TrySetResult();
    }

    // Null if nothing is cut.
    private Task? MendOf(CoapNodeId one, CoapNodeId other)
    {
        lock (_gate)
        {
            return _cuts.Contains((one, other)) ? _mended.Task : null;
        }
    }

    private HubNetwork? Find(CoapNodeId node)
    {
        lock (_gate)
        {
            return _nodes.GetValueOrDefault(node);
        }
    }

    private void Change(Func<bool> change)
    {
        HubNetwork[] told;
        lock (_gate)
        {
            told = change() ? [.. _nodes.Values] : [];
        }

        foreach (HubNetwork network in told)
        {
            _ = ReportAsync(network);
        }
    }

    private async Task ReportAsync(HubNetwork network)
    {
        await Task.Delay(Delay, network.Time).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        network.OnLivenessChanged();
    }
}
