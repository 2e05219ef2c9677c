using CoAP.NET.Observing;

namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>Keeps observers as a table would: by session and token, the registration in bytes.</summary>
internal sealed class ObserverList : ICoapObserverStore
{
    private readonly Dictionary<(string Session, CoapToken Token), (byte[] Request, CoapContentFormat? Format)> _rows = [];
    private readonly SemaphoreSlim _changed = new(0);

    /// <summary>What happened.</summary>
    public List<string> Told { get; } = [];

    /// <summary>Waits until something more has happened.</summary>
    public Task ChangedAsync() => _changed.WaitAsync();

    public void Registered(CoapPersistedObserver observer)
    {
        lock (_rows)
        {
            _rows[KeyOf(observer)] = (CoapDatagramSerializer.Default.Serialize(observer.Request), observer.Format);
            Told.Add("registered");
        }

        _changed.Release();
    }

    public void Removed(CoapPersistedObserver observer, CoapObserverEnd end)
    {
        lock (_rows)
        {
            _rows.Remove(KeyOf(observer));
            Told.Add($"{end}");
        }

        _changed.Release();
    }

    /// <summary>What another process makes of it.</summary>
    /// <param name="peers">Its peers.</param>
    public List<CoapPersistedObserver> Of(IReadOnlyList<CoapPeer> peers)
    {
        lock (_rows)
        {
            return [.. _rows.SelectMany(row => peers
                .Where(peer => Convert.ToHexString(peer.DurableId.Span) == row.Key.Session)
                .Select(peer => new CoapPersistedObserver(peer, CoapDatagramSerializer.Default.Deserialize(row.Value.Request.AsSpan()),
                    row.Value.Format)))];
        }
    }

    private static (string Session, CoapToken Token) KeyOf(CoapPersistedObserver observer) =>
        (Convert.ToHexString(observer.Peer.DurableId.Span), observer.Request.Token);
}
