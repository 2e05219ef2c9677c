using System.Collections.Concurrent;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Servers;
using CoAP.NET.Observing;

namespace CoAP.NET.Cluster.Observing;

/// <summary>
/// Keeps the observers of one server under the fences of this node's slots. An observer has the slot of its client's DTLS session; without
/// a session it gets a slot of this node (<see cref="SessionlessObserverSlotAssigner"/>). Thread-safe.
/// </summary>
internal sealed class ClusterObserverStore : ICoapObserverStore
{
    private readonly CoapEndpointOptions _options;
    private readonly byte[] _name;

    // The observers being restored, which the store already has.
    private readonly ConcurrentDictionary<CoapRecordKey, bool> _restoring = new();
    private readonly SessionlessObserverSlotAssigner _plain;
    private CoapDatagramSerializer? _serializer;
    private ObserverRestorer? _restorer;

    public ClusterObserverStore(CoapCluster cluster, string server, CoapEndpointOptions options)
    {
        Cluster = cluster;
        Server = server;
        _options = options;
        _name = ClusterServers.NameOf(server);
        _plain = new SessionlessObserverSlotAssigner(cluster);
    }

    public CoapCluster Cluster { get; }

    public string Server { get; }

    // With the options that parsed the registrations, which are fixed when the server is created.
    private CoapDatagramSerializer Serializer => _serializer ??= new CoapDatagramSerializer(
        _options.Limits.Messages.ForSerializer(_options.Registry, long.MaxValue));

    /// <exception cref="InvalidOperationException">UseDtls was called after KeepState.</exception>
    public void ThrowIfSessionsEnd()
    {
        if (_options.FindDtls() is { Server: { SessionBackup: null } })
        {
            throw new InvalidOperationException(
                "UseDtls was called after KeepState; the DTLS sessions of this server would end with the process. Call UseDtls first.");
        }
    }

    public void Registered(CoapPersistedObserver observer)
    {
        if (TryGetKey(observer, isPut: true, out CoapRecordKey key))
        {
            // Also for a restored observer, to extend the lifetime of its record.
            Put(key, observer, isStored: _restoring.TryRemove(key, out _));
        }
    }

    public void Confirmed(CoapPersistedObserver observer)
    {
        if (TryGetKey(observer, isPut: true, out CoapRecordKey key))
        {
            Put(key, observer, isStored: true);
        }
    }

    public void Removed(CoapPersistedObserver observer, CoapObserverEnd end)
    {
        if (end != CoapObserverEnd.HandedOver && TryGetKey(observer, isPut: false, out CoapRecordKey key)
            && !(end == CoapObserverEnd.Lost && _restorer?.TryAwaitAwake(key, observer) == true))
        {
            Cluster.Observers.Queue.Remove(key, observer.Peer.Source);
        }
    }

    /// <summary>Starts to restore observers.</summary>
    public void Attach(CoapServer server)
    {
        _restorer = new ObserverRestorer(this, server);
        Cluster.Observers.Add(this);
        Cluster.MapChanged += OnMapChanged;
    }

    /// <summary>Detaches the stopped server.</summary>
    public void Detach()
    {
        Cluster.Observers.Remove(this);
        Cluster.MapChanged -= OnMapChanged;
        _restorer?.Stop();
    }

    /// <summary>Returns the client of a record.</summary>
    /// <returns>Its name; empty for one of another server.</returns>
    public ReadOnlySpan<byte> ClientOf(CoapRecordKey key) => ObserverRecord.ClientOf(key.Bytes.Span, _name);

    /// <summary>Restores an observer.</summary>
    /// <param name="server">The server.</param>
    /// <param name="peer">The client.</param>
    /// <param name="key">The key of its record.</param>
    /// <param name="state">The state of its record.</param>
    /// <param name="numbersFrom">The start of the numbers of its notifications.</param>
    /// <returns>The outcome; null if the record is unreadable.</returns>
    public CoapObserverRestoreResult? Restore(
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

        CoapObserverRestoreResult result =
            server.RestoreObserver(new CoapPersistedObserver(peer, request, format) { NumbersFrom = numbersFrom });
        if (result != CoapObserverRestoreResult.Restored)
        {
            _restoring.TryRemove(key, out _);
            if (peer.DurableId.IsEmpty && result != CoapObserverRestoreResult.IsThere)
            {
                _ = _plain.Forget(key.Bytes.ToArray());
            }
        }

        return result;
    }

    /// <summary>Returns the key of the record with the first notification number for the clients of a slot.</summary>
    public CoapRecordKey NumbersKeyOf(CoapSlot slot) => new(CoapRecordKind.Observer, slot, ObserverRecord.NumbersKey(_name));

    public byte[] StateOf(CoapPersistedObserver observer) => ObserverRecord.Write(observer, Serializer);

    /// <summary>Handles a slot that is about to move. Observers without a session stay, so their records move to other slots.</summary>
    public void Release(CoapSlot slot)
    {
        foreach (CoapPersistedObserver observer in _plain.Of(slot))
        {
            // The next node must not restore them.
            Removed(observer, CoapObserverEnd.Stopped);
            Registered(observer);
        }
    }

    private void Put(CoapRecordKey key, CoapPersistedObserver observer, bool isStored)
    {
        byte[] state = StateOf(observer);
        if (state.Length <= ObserverRecord.MaxState)
        {
            Cluster.Observers.Queue.Put(key, state, observer.Peer.Source, isStored);
            return;
        }

        // An earlier observer under its token is gone.
        Cluster.Observers.NoteTooLong();
        Cluster.Observers.Queue.Remove(key, observer.Peer.Source);
    }

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        foreach (CoapPersistedObserver observer in _plain.Homeless())
        {
            Registered(observer);
        }
    }

    // A session outside of the backup is unknown after its end.
    private bool TryGetKey(CoapPersistedObserver observer, bool isPut, out CoapRecordKey key)
    {
        byte[] client = ObserverClientId.Of(observer.Peer);
        if (ObserverRecord.TryMakeKey(_name, client, observer.Request.Token) is not { } bytes)
        {
            key = default;
            return false;
        }

        ReadOnlySpan<byte> session = ObserverClientId.SessionOf(client);
        key = !session.IsEmpty ? new CoapRecordKey(CoapRecordKind.Observer, new CoapSlot(session[0]), bytes)
            : isPut ? _plain.PlaceFor(bytes, observer)
            : _plain.Forget(bytes);
        return true;
    }
}
