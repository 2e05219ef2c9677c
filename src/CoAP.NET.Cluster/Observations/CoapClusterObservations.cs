using System.Net;
using System.Text;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Observations;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Observations of resources of devices (RFC 7641) that outlive the process and move between nodes with the session of the device.
/// Thread-safe.
/// </summary>
/// <remarks>
/// The next node continues an observation with the same token, and the device notices nothing. Callbacks end with their process.
/// Observations therefore have names, and each node registers a handler for each name at its start (<see cref="Map"/>).
/// <para>A kept session identifies a device (<see cref="CoapPeer.DurableId"/>). With a new session it is another device: start its
/// observations whenever one opens (<see cref="CoapEndpoint.PeerConnected"/>); that does nothing for observations that continue.</para>
/// </remarks>
public sealed class CoapClusterObservations
{
    private readonly DeviceObservationTable _table = new();
    private readonly ObservationRunner _runs;
    private readonly DeviceObservationStore _observerStore;
    private readonly TimeProvider _time;
    private readonly CoapRandomSource _random;

    internal CoapClusterObservations(CoapCluster cluster, TimeProvider time, CoapRandomSource random, ILogger logger)
    {
        (_time, _random) = (time, random);
        _runs = new ObservationRunner(cluster, _table, time, logger);
        _observerStore = new DeviceObservationStore(cluster, _table, _runs, time, logger);
    }

    /// <summary>The current number of observations of this node, including those whose session is not loaded yet.</summary>
    public int Count => _table.Count;

    /// <summary>Registers the handler for notifications of a name. Call it on each node before its servers start.</summary>
    /// <param name="name">The name, 1 to 64 bytes of UTF-8; the same on every node and after a restart.</param>
    /// <param name="handler">Called with the device and each notification, which may be an error response; never concurrently for one
    /// device. Of those that arrive while it runs, only the newest follows. It runs on the receiving thread and must not block: queue long
    /// work. Its exceptions are logged.</param>
    /// <exception cref="ArgumentException">The name is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">The name already has a handler.</exception>
    public void Map(string name, Action<CoapPeer, CoapResponse> handler)
    {
        Check(name);
        ArgumentNullException.ThrowIfNull(handler);
        if (!_runs.TryMap(name, handler))
        {
            throw new InvalidOperationException(
                $"The name '{name}' already has a handler. Map each name once; the handler gets the device with each notification.");
        }

        _observerStore.OnMapped();
    }

    /// <summary>
    /// Continues observations at the devices of an endpoint. Call it before the endpoint starts, so that it rejects no notification.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    internal void Attach(CoapEndpoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        _observerStore.Attach(endpoint);
    }

    /// <summary>Observes a resource of a device until <see cref="StopAsync"/>, or until the session of the device has ended.</summary>
    /// <remarks>
    /// It does nothing if the observation already exists, also if another node started it. The registration is queued for the store before
    /// it is sent.
    /// </remarks>
    /// <param name="name">The name of the observation; a device has at most one of each name.</param>
    /// <param name="peer">The device, with a session that the cluster keeps.</param>
    /// <param name="path">The path of the resource, such as <c>/3303/0/5700</c>, with an optional query. A different path replaces the
    /// observation.</param>
    /// <param name="accept">The Content-Format to request; null for the default of the device.</param>
    /// <param name="cancellationToken">Stops waiting; the registration continues.</param>
    /// <returns>A task that completes when the first registration has succeeded or failed; a failed one is retried.</returns>
    /// <exception cref="ArgumentException">The session does not outlive the process, or the path is invalid.</exception>
    /// <exception cref="InvalidOperationException">The name has no handler on this node, no endpoint is attached, or another node owns the
    /// device.</exception>
    public async Task StartAsync(
        string name, CoapPeer peer, string path, CoapContentFormat? accept = null, CancellationToken cancellationToken = default)
    {
        CoapRecordKey key = KeyOf(name, peer);
        CoapMessage request = RequestFor(path, accept);
        if (!_runs.IsHandled(name))
        {
            throw new InvalidOperationException(
                $"The observation '{name}' has no handler on this node. Call Map before the server starts.");
        }

        await StartAsync(key, name, peer, request, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Cancels an observation at the device (RFC 7641 section 3.6) and removes it from the store.</summary>
    /// <param name="name">The name of the observation.</param>
    /// <param name="peer">The device.</param>
    /// <param name="cancellationToken">Stops waiting for the store, which may still have to load the observation.</param>
    /// <returns>True if the observation existed.</returns>
    /// <exception cref="ArgumentException">The session does not outlive the process.</exception>
    /// <exception cref="InvalidOperationException">Another node owns the device.</exception>
    public async Task<bool> StopAsync(string name, CoapPeer peer, CancellationToken cancellationToken = default)
    {
        CoapRecordKey key = KeyOf(name, peer);
        await _observerStore.LoadedAsync(key.Slot, cancellationToken).ConfigureAwait(false);
        return _table.Find(key) is { } observation && await EndAsync(observation).ConfigureAwait(false);
    }

    /// <summary>Releases observations when slots are handed over.</summary>
    internal ISlotStateHolder SlotState => _observerStore;

    /// <summary>Ends with the cluster.</summary>
    internal Task EndAsync() => _observerStore.EndAsync();

    // Without a token.
    private static CoapMessage RequestFor(string path, CoapContentFormat? accept)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (path[0] != '/' || !CoapUri.TryParse($"coap://[::1]{path}", out CoapUri? uri, out _))
        {
            throw new ArgumentException(
                $"'{CoapUntrustedText.LineOf(path)}' is not the path of a resource. Use a path such as /3303/0/5700.", nameof(path));
        }

        CoapMessage request = new(CoapCode.Get);
        uri.AddTo(request.Options, IPAddress.IPv6Loopback, uri.Port);
        if (accept is { } format)
        {
            request.Options.Accept = format;
        }

        return request;
    }

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
                $"{peer} has no session that outlives the process, which observations of a cluster need. Use coaps, and call KeepState "
                + "on the options of the server.", nameof(peer));
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

    private async Task StartAsync(
        CoapRecordKey key, string name, CoapPeer peer, CoapMessage request, CancellationToken cancellationToken)
    {
        request.Token = NewToken();
        request.Options.Observe = 0;
        CoapFencingToken fence = await _observerStore.LoadedAsync(key.Slot, cancellationToken).ConfigureAwait(false);
        while (true)
        {
            if (_table.Find(key) is { } other)
            {
                if (IsSame(other.Request, request))
                {
                    // The session may have arrived before its observations were read.
                    await _runs.BeginAsync(other, peer).WaitAsync(cancellationToken).ConfigureAwait(false);
                    return;
                }

                await EndAsync(other).ConfigureAwait(false);
            }

            DurableObservation made = new(key, fence, name, request, _time.GetTimestamp());
            if (_table.TryAdd(made))
            {
                _runs.Write(made, isHint: false);
                _observerStore.Wake();
                await _runs.BeginAsync(made, peer).WaitAsync(cancellationToken).ConfigureAwait(false);
                return;
            }
        }
    }

    // Eight bytes, which requests only reach after 2^32 others.
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
