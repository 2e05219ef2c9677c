using System.Collections.Concurrent;
using CoAP.NET.Dtls;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>
/// Keeps who observes the resources of one server, under the fences of the slots that this node has: an observer has the slot of the DTLS
/// session of its client, and without a session one that this node has (<see cref="PlainObservers"/>). Thread-safe.
/// </summary>
internal sealed class ClusterObserverKeeper : ICoapObserverKeeper
{
    private readonly CoapEndpointOptions _options;
    private readonly byte[] _name;

    // Those that are being put back: that is no news for the store.
    private readonly ConcurrentDictionary<CoapRecordKey, bool> _restoring = new();
    private readonly PlainObservers _plain;
    private CoapDatagramSerializer? _serializer;
    private ObserverRestorer? _restorer;

    public ClusterObserverKeeper(CoapCluster cluster, string server, CoapEndpointOptions options)
    {
        Cluster = cluster;
        Server = server;
        _options = options;
        _name = ClusterServers.NameOf(server);
        _plain = new PlainObservers(cluster);
    }

    public CoapCluster Cluster { get; }

    /// <summary>The name of the server.</summary>
    public string Server { get; }

    // With the options that the registrations were read with, which are settled when the server is made.
    private CoapDatagramSerializer Serializer => _serializer ??= new CoapDatagramSerializer(new CoapSerializerOptions
    {
        Registry = _options.Registry,
        MaxOptions = _options.Limits.MaxOptions,
        MaxTokenLength = _options.Limits.MaxTokenLength,
        MaxMessageSize = long.MaxValue,
    });

    /// <exception cref="InvalidOperationException">UseDtls was called after UseCluster.</exception>
    public void ThrowIfSessionsEnd()
    {
        bool ends = false;
        _options.TryChangeDtls(dtls => ends = dtls.Server is { SessionKeeping: null });
        if (ends)
        {
            throw new InvalidOperationException(
                "UseDtls was called after UseCluster, so the DTLS sessions of this server would end with the process. Call UseDtls first.");
        }
    }

    public void Registered(CoapKeptObserver observer)
    {
        if (TryGetKey(observer, isPut: true, out CoapRecordKey key))
        {
            // Also of one that was put back: so its record lasts.
            Put(key, observer, isStored: _restoring.TryRemove(key, out _));
        }
    }

    public void Confirmed(CoapKeptObserver observer)
    {
        if (TryGetKey(observer, isPut: true, out CoapRecordKey key))
        {
            Put(key, observer, isStored: true);
        }
    }

    public void Removed(CoapKeptObserver observer, CoapObserverEnd end)
    {
        if (end != CoapObserverEnd.HandedOver && TryGetKey(observer, isPut: false, out CoapRecordKey key)
            && !(end == CoapObserverEnd.Lost && _restorer?.TryAwaitAwake(key, observer) == true))
        {
            Cluster.Observers.Queue.Remove(key, observer.Peer.Source);
        }
    }

    /// <summary>Begins to put observers back.</summary>
    /// <param name="server">The server.</param>
    public void Attach(CoapServer server)
    {
        _restorer = new ObserverRestorer(this, server);
        Cluster.Observers.Add(this);
        Cluster.MapChanged += OnMapChanged;
    }

    /// <summary>The server has stopped.</summary>
    public void Detach()
    {
        Cluster.Observers.Remove(this);
        Cluster.MapChanged -= OnMapChanged;
        _restorer?.Stop();
    }

    /// <summary>The client that a record is about.</summary>
    /// <param name="key">The key of the record.</param>
    /// <returns>Its name; empty for one of another server.</returns>
    public ReadOnlySpan<byte> ClientOf(CoapRecordKey key) => ObserverRecord.ClientOf(key.Bytes.Span, _name);

    /// <summary>Puts an observer back.</summary>
    /// <param name="server">The server.</param>
    /// <param name="peer">The client.</param>
    /// <param name="key">The key of its record.</param>
    /// <param name="state">The state of its record.</param>
    /// <param name="numbersFrom">Where the numbers of its notifications begin.</param>
    /// <returns>What became of it; null when the record cannot be read.</returns>
    public CoapObserverRestore? Restore(
        CoapServer server, CoapPeer peer, CoapRecordKey key, ReadOnlyMemory<byte> state, DateTimeOffset numbersFrom)
    {
        if (!ObserverRecord.TryRead(state.Span, Serializer, out CoapMessage? request, out CoapContentFormat? format))
        {
            return null;
        }

        _restoring[key] = true;
        if (peer.DurableId.IsEmpty)
        {
            _plain.Note(key);
        }

        CoapObserverRestore result = server.RestoreObserver(new CoapKeptObserver(peer, request, format) { NumbersFrom = numbersFrom });
        if (result != CoapObserverRestore.Restored)
        {
            _restoring.TryRemove(key, out _);
            if (peer.DurableId.IsEmpty && result != CoapObserverRestore.IsThere)
            {
                _ = _plain.Forget(key.Bytes.ToArray());
            }
        }

        return result;
    }

    /// <summary>The record that says where the numbers of notifications began for the clients of a slot.</summary>
    /// <param name="slot">The slot.</param>
    public CoapRecordKey NumbersKeyOf(CoapSlot slot) => new(CoapRecordKind.Observer, slot, ObserverRecord.NumbersKey(_name));

    /// <summary>The state of the record of an observer.</summary>
    /// <param name="observer">The observer.</param>
    public byte[] StateOf(CoapKeptObserver observer) => ObserverRecord.Write(observer, Serializer);

    /// <summary>A slot is about to move. Observers without a session stay, so their records go into other slots.</summary>
    /// <param name="slot">The slot.</param>
    public void Release(CoapSlot slot)
    {
        foreach (CoapKeptObserver observer in _plain.Of(slot))
        {
            // The next node must not take them for its own.
            Removed(observer, CoapObserverEnd.Stopped);
            Registered(observer);
        }
    }

    private void Put(CoapRecordKey key, CoapKeptObserver observer, bool isStored)
    {
        byte[] state = StateOf(observer);
        if (state.Length <= ObserverRecord.MaxState)
        {
            Cluster.Observers.Queue.Put(key, state, observer.Peer.Source, isStored);
            return;
        }

        // What was there before under its token is not observed any more.
        Cluster.Observers.NoteTooLong();
        Cluster.Observers.Queue.Remove(key, observer.Peer.Source);
    }

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        foreach (CoapKeptObserver observer in _plain.Homeless())
        {
            Registered(observer);
        }
    }

    // Sessions that nobody keeps are known to nobody after the end.
    private bool TryGetKey(CoapKeptObserver observer, bool isPut, out CoapRecordKey key)
    {
        byte[] client = ObserverClient.Of(observer.Peer);
        if (ObserverRecord.TryMakeKey(_name, client, observer.Request.Token) is not { } bytes)
        {
            key = default;
            return false;
        }

        ReadOnlySpan<byte> session = ObserverClient.SessionOf(client);
        key = !session.IsEmpty ? new CoapRecordKey(CoapRecordKind.Observer, new CoapSlot(session[0]), bytes)
            : isPut ? _plain.PlaceFor(bytes, observer)
            : _plain.Forget(bytes);
        return true;
    }
}
