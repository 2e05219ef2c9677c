using System.Net;
using System.Text;
using CoAP.NET.Options;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Observations of resources of devices (RFC 7641) that outlive the process and move between nodes with the session of the device: the node
/// that goes on has the token of the one before, and the device notices nothing. They have names, as callbacks end with their process:
/// each node says at its start what it does with notifications of a name (<see cref="Map"/>). Thread-safe.
/// </summary>
/// <remarks>
/// A device is known by the session that it opened and that is kept (<see cref="CoapPeer.DurableId"/>). With a new session it is another
/// device: begin its observations whenever one opens (<see cref="CoapEndpoint.PeerConnected"/>); that does nothing for those that go on.
/// </remarks>
public sealed class CoapClusterObservations
{
    private readonly ObservationTable _table = new();
    private readonly ObservationRuns _runs;
    private readonly ObservationKeeper _keeper;
    private readonly CoapRandomSource _random;

    internal CoapClusterObservations(CoapCluster cluster, TimeProvider time, CoapRandomSource random, ILogger logger)
    {
        _random = random;
        _runs = new ObservationRuns(cluster, _table, time, logger);
        _keeper = new ObservationKeeper(cluster, _table, _runs, time, logger);
    }

    /// <summary>How many observations at devices this node has, with those whose session is not there yet.</summary>
    public int Count => _table.Count;

    /// <summary>Says what this node does with notifications of a name. To be called on each node before its servers start.</summary>
    /// <param name="name">The name, 1 to 64 bytes of UTF-8; the same on every node and after a restart.</param>
    /// <param name="handler">
    /// Called with each notification, never twice at a time for one device; those that come while it runs are skipped but for the newest.
    /// It runs on the thread that receives, so it must not block: what takes time is queued. What it throws is logged.
    /// </param>
    /// <exception cref="ArgumentException">The name is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">The name has a handler already.</exception>
    public void Map(string name, Action<CoapObservedNotification> handler)
    {
        Check(name);
        ArgumentNullException.ThrowIfNull(handler);
        if (!_runs.TryMap(name, handler))
        {
            throw new InvalidOperationException($"The name '{name}' has a handler already. Each name has one; it is told the device.");
        }

        _keeper.OnMapped();
    }

    /// <summary>
    /// Has observations at the devices of an endpoint go on. To be called before the endpoint starts, so that nothing that devices say
    /// meanwhile is rejected.
    /// </summary>
    /// <param name="endpoint">The endpoint, whose sessions this cluster keeps.</param>
    /// <exception cref="ObjectDisposedException">The cluster has ended.</exception>
    internal void Attach(CoapEndpoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        _keeper.Attach(endpoint);
    }

    /// <summary>
    /// Observes a resource of a device for good: until <see cref="StopAsync"/>, or until the session of the device has ended. Does nothing
    /// when this observation of the device goes on already, here or from a node before. The registration is kept before it leaves.
    /// </summary>
    /// <param name="name">The name of the observation; a device has one of each name.</param>
    /// <param name="peer">The device, by a session that the cluster keeps.</param>
    /// <param name="path">The path of the resource, such as <c>/3303/0/5700</c>, with a query if need be. Another path than before takes
    /// its place.</param>
    /// <param name="accept">The Content-Format that is asked for; null for that of the device.</param>
    /// <param name="cancellationToken">Ends the wait; what was begun goes on.</param>
    /// <returns>A task that ends when it is known what became of the first registration; if it failed, it is tried again by itself.
    /// </returns>
    /// <exception cref="ArgumentException">The session does not outlive the process, or the path is none.</exception>
    /// <exception cref="InvalidOperationException">Nobody handles the name here, no endpoint is attached, or another node has the device.
    /// </exception>
    public async Task StartAsync(
        string name, CoapPeer peer, string path, CoapContentFormat? accept = null, CancellationToken cancellationToken = default)
    {
        CoapRecordKey key = KeyOf(name, peer);
        CoapMessage request = RequestFor(path, accept);
        if (!_runs.IsHandled(name))
        {
            throw new InvalidOperationException(
                $"Nobody handles the observation '{name}' on this node. Call Map before the server starts.");
        }

        CoapFence fence = await _keeper.LoadedAsync(key.Slot, cancellationToken).ConfigureAwait(false);
        while (true)
        {
            if (_table.Find(key) is { } other)
            {
                if (IsSame(other.Request, request))
                {
                    // The session may have come before its observations were read.
                    await _runs.BeginAsync(other, peer).WaitAsync(cancellationToken).ConfigureAwait(false);
                    return;
                }

                await EndAsync(other).ConfigureAwait(false);
            }

            DurableObservation made = new(key, fence, name, request);
            if (_table.TryAdd(made))
            {
                _runs.Write(made, isHint: false);
                _keeper.Wake();
                await _runs.BeginAsync(made, peer).WaitAsync(cancellationToken).ConfigureAwait(false);
                return;
            }
        }
    }

    /// <summary>Ends an observation: the device is told (RFC 7641 section 3.6), and no node goes on with it.</summary>
    /// <param name="name">The name of the observation.</param>
    /// <param name="peer">The device.</param>
    /// <param name="cancellationToken">Ends the wait for the store, which may have the observation from a node before.</param>
    /// <returns>Whether there was one.</returns>
    /// <exception cref="ArgumentException">The session does not outlive the process.</exception>
    /// <exception cref="InvalidOperationException">Another node has the device.</exception>
    public async Task<bool> StopAsync(string name, CoapPeer peer, CancellationToken cancellationToken = default)
    {
        CoapRecordKey key = KeyOf(name, peer);
        await _keeper.LoadedAsync(key.Slot, cancellationToken).ConfigureAwait(false);
        return _table.Find(key) is { } observation && await EndAsync(observation).ConfigureAwait(false);
    }

    /// <summary>What hands slots over.</summary>
    internal ISlotHolder Holder => _keeper;

    /// <summary>Ends with the cluster.</summary>
    internal Task EndAsync() => _keeper.EndAsync();

    private static void Check(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Encoding.UTF8.GetByteCount(name), ObservationRecord.MaxName, nameof(name));
    }

    private static CoapRecordKey KeyOf(string name, CoapPeer peer)
    {
        Check(name);
        ArgumentNullException.ThrowIfNull(peer);
        return ObservationRecord.KeyOf(peer.DurableId.Span, name)
            ?? throw new ArgumentException(
                $"{peer} has no session that outlives the process, so nothing at it can be observed for good. Use coaps, and have the "
                + "cluster keep sessions.", nameof(peer));
    }

    private static bool IsSame(CoapMessage one, CoapMessage other)
    {
        if (one.Options.Count != other.Options.Count)
        {
            return false;
        }

        for (int i = 0; i < one.Options.Count; i++)
        {
            if (one.Options.NumberAt(i) != other.Options.NumberAt(i) || !one.Options.ValueAt(i).SequenceEqual(other.Options.ValueAt(i)))
            {
                return false;
            }
        }

        return true;
    }

    private CoapMessage RequestFor(string path, CoapContentFormat? accept)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (path[0] != '/' || !CoapUri.TryParse($"coap://[::1]{path}", out CoapUri? uri, out string? error))
        {
            throw new ArgumentException($"'{path}' is no path of a resource, such as /3303/0/5700.", nameof(path));
        }

        CoapMessage request = new(CoapCode.Get) { Token = NewToken() };
        uri.AddTo(request.Options, IPAddress.IPv6Loopback, uri.Port);
        request.Options.Observe = 0;
        if (accept is { } format)
        {
            request.Options.Accept = format;
        }

        return request;
    }

    // Eight bytes, which requests have only after 2^32 others.
    private CoapToken NewToken()
    {
        Span<byte> token = stackalloc byte[CoapToken.MaxLength];
        _random.Fill(token);
        return new CoapToken(token);
    }

    private async Task<bool> EndAsync(DurableObservation observation)
    {
        if (!_table.TryTake(observation))
        {
            return false;
        }

        await _runs.EndAsync(observation).ConfigureAwait(false);
        return true;
    }
}
