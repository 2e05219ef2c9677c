using System.Net;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Http.Backends;

/// <summary>
/// The HTTP clients for devices with certificates: one per certificate because a TLS connection belongs to one certificate. Idle clients
/// are closed, and the least recently used one when there are too many. Thread-safe.
/// </summary>
internal sealed class DeviceCertificateHttpClients : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Entry> _entries = new(StringComparer.Ordinal);
    private readonly int _max;
    private readonly TimeSpan _idle;
    private readonly Action<SocketsHttpHandler>? _configure;
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private bool _isDisposed;

    /// <summary>Creates the set of clients.</summary>
    /// <param name="max">The maximum number of clients.</param>
    /// <param name="idle">The time without a request after which a client is closed.</param>
    /// <param name="configure">Configures the handlers; null for nothing.</param>
    /// <param name="time">The clock.</param>
    public DeviceCertificateHttpClients(int max, TimeSpan idle, Action<SocketsHttpHandler>? configure, TimeProvider time)
    {
        (_max, _idle, _configure, _time) = (max, idle, configure, time);
        _timer = time.CreateTimer(static all => ((DeviceCertificateHttpClients)all!).Sweep(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
    }

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _entries.Count;
            }
        }
    }

    /// <summary>Rents the client of a certificate until the lease is disposed.</summary>
    /// <returns>Null if all are in use and there is no room for another one.</returns>
    public Lease? TryRent(X509Certificate2 certificate)
    {
        string key = certificate.GetCertHashString(HashAlgorithmName.SHA256);
        HttpClient? closed = null;
        try
        {
            lock (_gate)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                if (!_entries.TryGetValue(key, out Entry? entry))
                {
                    if (_entries.Count >= _max && !TryRemoveOldest(out closed))
                    {
                        return null;
                    }

                    entry = new Entry(Make(certificate));
                    _entries.Add(key, entry);
                    if (_entries.Count == 1)
                    {
                        _timer.Change(_idle, _idle);
                    }
                }

                entry.InUse++;
                return new Lease(this, entry);
            }
        }
        finally
        {
            closed?.Dispose();
        }
    }

    public void Dispose()
    {
        _timer.Dispose();
        Entry[] entries;
        lock (_gate)
        {
            _isDisposed = true;
            entries = [.. _entries.Values];
            _entries.Clear();
        }

        foreach (Entry entry in entries)
        {
            entry.Client.Dispose();
        }
    }

    private HttpClient Make(X509Certificate2 certificate)
    {
        SocketsHttpHandler handler = new()
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            AutomaticDecompression = DecompressionMethods.None,
            PooledConnectionIdleTimeout = _idle,
        };
        _configure?.Invoke(handler);
        handler.SslOptions.ClientCertificates = [certificate];
        handler.SslOptions.ClientCertificateContext = null;

        // Always this certificate, regardless of the authorities that the back end names.
        handler.SslOptions.LocalCertificateSelectionCallback = (_, _, _, _, _) => certificate;
        return new HttpClient(handler);
    }

    private bool TryRemoveOldest(out HttpClient? closed)
    {
        (string Key, Entry Entry)? oldest = null;
        foreach ((string key, Entry entry) in _entries)
        {
            if (entry.InUse == 0 && (oldest is null || entry.UsedAt < oldest.Value.Entry.UsedAt))
            {
                oldest = (key, entry);
            }
        }

        closed = oldest?.Entry.Client;
        return oldest is not null && _entries.Remove(oldest.Value.Key);
    }

    private void Sweep()
    {
        List<HttpClient> closed = [];
        lock (_gate)
        {
            foreach ((string key, Entry entry) in _entries.ToArray())
            {
                if (entry.InUse == 0 && _time.GetElapsedTime(entry.UsedAt) >= _idle)
                {
                    _entries.Remove(key);
                    closed.Add(entry.Client);
                }
            }

            if (_entries.Count == 0 && !_isDisposed)
            {
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }

        closed.ForEach(static client => client.Dispose());
    }

    private void Return(Entry entry)
    {
        lock (_gate)
        {
            entry.InUse--;
            entry.UsedAt = _time.GetTimestamp();
        }
    }

    /// <summary>Keeps a client open until it is disposed.</summary>
    internal sealed class Lease(DeviceCertificateHttpClients owner, Entry entry) : IDisposable
    {
        public HttpClient Client => entry.Client;

        public void Dispose() => owner.Return(entry);
    }

    internal sealed class Entry(HttpClient client)
    {
        public HttpClient Client { get; } = client;

        public int InUse { get; set; }

        public long UsedAt { get; set; }
    }
}
