using System.Collections.Concurrent;
using CoAP.NET.Dtls;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>
/// Keeps who observes the resources of one server, under the fences of the slots that this node has: an observer has the slot of the DTLS
/// session of its client. Thread-safe.
/// </summary>
internal sealed class ClusterObserverKeeper : ICoapObserverKeeper
{
    private readonly CoapEndpointOptions _options;
    private readonly byte[] _name;

    // Those that are being put back: that is no news for the store.
    private readonly ConcurrentDictionary<CoapRecordKey, bool> _restoring = new();
    private CoapDatagramSerializer? _serializer;
    private ObserverRestorer? _restorer;

    public ClusterObserverKeeper(CoapCluster cluster, string server, CoapEndpointOptions options)
    {
        Cluster = cluster;
        Server = server;
        _options = options;
        _name = ClusterServers.NameOf(server);
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
        if (TryGetKey(observer, out CoapRecordKey key) && !_restoring.TryRemove(key, out _))
        {
            byte[] state = ObserverRecord.Write(observer, Serializer);
            if (state.Length > ObserverRecord.MaxState)
            {
                // What was there before under its token is not observed any more.
                Cluster.Observers.NoteTooLong();
                Cluster.Observers.Queue.Remove(key, observer.Peer.Source);
            }
            else
            {
                Cluster.Observers.Queue.Put(key, state, observer.Peer.Source);
            }
        }
    }

    public void Removed(CoapKeptObserver observer, CoapObserverEnd end)
    {
        if (TryGetKey(observer, out CoapRecordKey key))
        {
            Cluster.Observers.Queue.Remove(key, observer.Peer.Source);
        }
    }

    /// <summary>Begins to put observers back.</summary>
    /// <param name="server">The server.</param>
    public void Attach(CoapServer server) => _restorer = new ObserverRestorer(this, server);

    /// <summary>The server has stopped.</summary>
    public void Detach() => _restorer?.Stop();

    /// <summary>The client that a record is about.</summary>
    /// <param name="record">The record.</param>
    /// <returns>Its name; empty for one of another server.</returns>
    public ReadOnlySpan<byte> ClientOf(CoapRecord record) => ObserverRecord.ClientOf(record.Key.Bytes.Span, _name);

    /// <summary>Puts an observer back.</summary>
    /// <param name="server">The server.</param>
    /// <param name="peer">The client.</param>
    /// <param name="record">The record.</param>
    /// <returns>What became of it; null when the record cannot be read.</returns>
    public CoapObserverRestore? Restore(CoapServer server, CoapPeer peer, CoapRecord record)
    {
        if (!ObserverRecord.TryRead(record.State.Span, Serializer, out CoapMessage? request, out CoapContentFormat? format))
        {
            return null;
        }

        _restoring[record.Key] = true;
        CoapObserverRestore result = server.RestoreObserver(new CoapKeptObserver(peer, request, format));
        if (result != CoapObserverRestore.Restored)
        {
            _restoring.TryRemove(record.Key, out _);
        }

        return result;
    }

    // Sessions that nobody keeps, and clients without one, are known to nobody after the end.
    private bool TryGetKey(CoapKeptObserver observer, out CoapRecordKey key)
    {
        ReadOnlySpan<byte> session = observer.Peer.DurableId.Span;
        if (ObserverRecord.TryMakeKey(_name, session, observer.Request.Token) is not { } bytes)
        {
            key = default;
            return false;
        }

        key = new CoapRecordKey(CoapRecordKind.Observer, new CoapSlot(session[0]), bytes);
        return true;
    }
}
