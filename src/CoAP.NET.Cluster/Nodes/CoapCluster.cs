using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Dtls;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster;

/// <summary>
/// A node of a cluster, be it the only one: it keeps its lease, takes the slots that nobody has who is there, and knows under which fence
/// it may write. Where the store is away it goes on with what it has, and finds back by itself. Thread-safe.
/// </summary>
/// <remarks>
/// The first node that starts has all slots; further ones stand by, and take over when it is gone. A node that stops gives its lease back,
/// so the next one need not wait.
/// </remarks>
public sealed class CoapCluster : IAsyncDisposable
{
    private const int RenewalsOfLease = 5;
    private const int MaxServerName = 64;
    private static readonly TimeSpan s_sweepPeriod = TimeSpan.FromMinutes(10);

    private readonly TimeSpan _lease;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _taking = new(1);
    private readonly CancellationTokenSource _stop = new();
    private readonly byte[] _sessionKey = new byte[CoapSealedClusterStore.SecretLength];
    private CoapClusterMap _map = CoapClusterMap.Empty;
    private CoapStoreHealth _health;
    private Task? _renewing;
    private Task? _watching;
    private Task? _end;

    /// <summary>Makes a node. It does nothing before <see cref="StartAsync"/>.</summary>
    /// <param name="store">What is kept where. It is sealed with the secret, and becomes the cluster's: it ends with it.</param>
    /// <param name="options">How it takes part; they are copied.</param>
    /// <param name="timeProvider">The clock; null for the system's.</param>
    /// <param name="random">Where its id and nonces come from; null for the operating system.</param>
    /// <param name="logger">Is told when the store goes away and who takes over; null for nobody.</param>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    public CoapCluster(
        ICoapClusterStore store, CoapClusterOptions options, TimeProvider? timeProvider = null, CoapRandomSource? random = null,
        ILogger? logger = null)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(options);
        if (options.FindFault() is { } fault)
        {
            throw new ArgumentException(fault, nameof(options));
        }

        _time = timeProvider ?? TimeProvider.System;
        _logger = logger ?? NullLogger.Instance;
        _lease = options.Lease;
        _health = new CoapStoreHealth(null, _time.GetUtcNow());
        Self = new CoapClusterNode(CoapNodeId.New(random), options.Address);
        Links = new ClusterLinks(Self.Id, options, _time, random ?? CoapRandomSource.Secure, _logger);
        Store = new CoapSealedClusterStore(store, options.Secret.Span, random);
        Writer = new CoapRecordWriter(Store, options.Writer, _time, _logger);
        OscoreStore = new CoapClusterOscoreStore(this);
        HKDF.DeriveKey(HashAlgorithmName.SHA256, options.Secret.Span, _sessionKey, default, "CoAP.NET cluster sessions 1"u8);
    }

    /// <summary>Raised when <see cref="Map"/> has changed, on the thread that found out.</summary>
    public event EventHandler? MapChanged;

    /// <summary>This node. Where others reach it is known when <see cref="StartAsync"/> has begun to listen.</summary>
    public CoapClusterNode Self { get; private set; }

    /// <summary>What is kept, sealed. Records that <see cref="Writer"/> writes are to be written by it only.</summary>
    public CoapSealedClusterStore Store { get; }

    /// <summary>Writes records behind the back of a server.</summary>
    public CoapRecordWriter Writer { get; }

    /// <summary>Keeps the sequence numbers of OSCORE contexts (RFC 8613 appendix B.1) in the store.</summary>
    public CoapClusterOscoreStore OscoreStore { get; }

    /// <summary>What other nodes are asked and told by.</summary>
    internal ClusterLinks Links { get; }

    /// <summary>Who is there and who has which slot, as was heard last; empty before the first word of the store.</summary>
    public CoapClusterMap Map
    {
        get
        {
            lock (_gate)
            {
                return _map;
            }
        }
    }

    /// <summary>Whether the store takes leases and records. While it does not, the node goes on with what it has.</summary>
    public CoapStoreHealth Health
    {
        get
        {
            lock (_gate)
            {
                if (_health.IsDegraded)
                {
                    return _health;
                }
            }

            return Writer.Health;
        }
    }

    /// <summary>
    /// Keeps the DTLS sessions of a server in the store, so that they outlive a crash and a restart, and another node that takes over has
    /// them: for <see cref="CoapDtlsServerOptions.SessionKeeping"/>.
    /// </summary>
    /// <param name="server">Tells the servers of a process apart, each of which has sessions of its own: a name of at most 64 bytes, the
    /// same after a restart.</param>
    /// <returns>What a server is to be given. Each server needs its own.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    public CoapDtlsSessionKeeping KeepDtlsSessions(string server = "")
    {
        ArgumentNullException.ThrowIfNull(server);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Encoding.UTF8.GetByteCount(server), MaxServerName, nameof(server));
        lock (_gate)
        {
            // Zeros must never become a key.
            ObjectDisposedException.ThrowIf(_end is not null, this);
            return new CoapDtlsSessionKeeping(new ClusterSessionKeeper(this, _time, server), _sessionKey);
        }
    }

    /// <summary>Under which fence this node may write records of a slot.</summary>
    /// <param name="slot">The slot.</param>
    /// <returns>The fence; one under which nothing holds (<see cref="CoapFence.IsSet"/>) when another node has the slot, or nobody.
    /// </returns>
    public CoapFence FenceOf(CoapSlot slot) => Map[slot] is { } owner && owner.Node == Self.Id ? owner.Fence : default;

    /// <summary>
    /// Joins, and takes the slots that nobody has. Where the store is away the start does not fail: the node tries again until it is there,
    /// and has no slots meanwhile (<see cref="Health"/>).
    /// </summary>
    /// <param name="cancellationToken">Ends the wait for the first try.</param>
    /// <returns>A task that ends after the first try.</returns>
    /// <exception cref="CoapException"><see cref="CoapClusterOptions.LinkAddress"/> cannot be bound.</exception>
    public async Task StartAsync(CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_end is not null, this);
            if (_renewing is not null)
            {
                throw new InvalidOperationException("The node was started before.");
            }

            _renewing = Task.CompletedTask;
        }

        await Links.StartAsync(cancellationToken).ConfigureAwait(false);
        Self = Self with { Address = Links.Address };
        await TryRenewAsync(cancellationToken).ConfigureAwait(false);
        lock (_gate)
        {
            if (_end is null)
            {
                _renewing = RenewAsync();
                _watching = WatchAsync();
            }
        }
    }

    /// <summary>Writes what waits, gives the lease back, and closes the store.</summary>
    /// <returns>A task that ends then.</returns>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _end ??= EndAsync();
        }

        return new ValueTask(_end);
    }

    private async Task EndAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);

        // The lease lasts while the rest is written.
        await Writer.DisposeAsync().ConfigureAwait(false);
        await Links.DisposeAsync().ConfigureAwait(false);
        await _stop.CancelAsync().ConfigureAwait(false);
        Task? renewing;
        Task? watching;
        lock (_gate)
        {
            (renewing, watching) = (_renewing, _watching);
        }

        await (renewing ?? Task.CompletedTask).ConfigureAwait(false);
        await (watching ?? Task.CompletedTask).ConfigureAwait(false);
        await Store.DisposeAsync().ConfigureAwait(false);
        CryptographicOperations.ZeroMemory(_sessionKey);
        _taking.Dispose();
        _stop.Dispose();
    }

    private async Task RenewAsync()
    {
        long swept = _time.GetTimestamp();
        while (await PauseAsync().ConfigureAwait(false))
        {
            bool isThere = await TryRenewAsync(_stop.Token).ConfigureAwait(false);
            if (isThere && _time.GetElapsedTime(swept) >= s_sweepPeriod)
            {
                swept = _time.GetTimestamp();
                await TrySweepAsync().ConfigureAwait(false);
            }
        }
    }

    private async Task WatchAsync()
    {
        do
        {
            try
            {
                await foreach (CoapClusterMap map in Store.WatchAsync(_stop.Token).ConfigureAwait(false))
                {
                    await OnMapAsync(map, _stop.Token).ConfigureAwait(false);
                }
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (CoapClusterStoreException)
            {
                // The renewals tell of it.
            }
        }
        while (await PauseAsync().ConfigureAwait(false));
    }

    // False at the end.
    private async Task<bool> PauseAsync()
    {
        try
        {
            await Task.Delay(_lease / RenewalsOfLease, _time, _stop.Token).ConfigureAwait(false);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private async Task<bool> TryRenewAsync(CancellationToken cancellationToken)
    {
        try
        {
            await OnMapAsync(await Store.JoinAsync(Self, _lease, cancellationToken).ConfigureAwait(false), cancellationToken)
                .ConfigureAwait(false);
            SetHealth(null);
            return true;
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            return false;
        }
        catch (CoapClusterStoreException exception)
        {
            SetHealth(exception);
            return false;
        }
    }

    private async Task TrySweepAsync()
    {
        try
        {
            while (await Store.RemoveExpiredAsync(_stop.Token).ConfigureAwait(false) == CoapRecordBatch.MaxCount)
            {
                // There may be more.
            }
        }
        catch (Exception exception) when (exception is CoapClusterStoreException or OperationCanceledException)
        {
            // They take room until the next time.
        }
    }

    // One map after the other, so that an older one never follows a newer one.
    private async Task OnMapAsync(CoapClusterMap map, CancellationToken cancellationToken)
    {
        await _taking.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            Set(map);
            while (map.IsThere(Self.Id) && map.Orphans() is { Count: > 0 } orphans)
            {
                bool isTaken = await Store.TryChangeAsync(map.Assign(Self.Id, orphans), cancellationToken).ConfigureAwait(false);
                map = await Store.JoinAsync(Self, _lease, cancellationToken).ConfigureAwait(false);
                Set(map);
                if (isTaken)
                {
                    ClusterLog.SlotsTaken(_logger, Self.Id, orphans.Count, map.Version);
                }
            }
        }
        finally
        {
            _taking.Release();
        }
    }

    private void Set(CoapClusterMap map)
    {
        int lost;
        lock (_gate)
        {
            if (map.Version < _map.Version || map.HasSameContent(_map))
            {
                return;
            }

            lost = _map.SlotsOf(Self.Id).Count(slot => map[slot].Node != Self.Id);
            _map = map;
        }

        if (lost > 0)
        {
            ClusterLog.SlotsLost(_logger, Self.Id, lost, map.Version);
        }

        Links.Update(map);
        Raise();
    }

    private void SetHealth(CoapClusterStoreException? failure)
    {
        lock (_gate)
        {
            if (_health.Failure?.Fault == failure?.Fault)
            {
                return;
            }

            _health = new CoapStoreHealth(failure, _time.GetUtcNow());
        }

        if (failure is null)
        {
            ClusterLog.Renewed(_logger, Self.Id);
        }
        else
        {
            ClusterLog.NotRenewed(_logger, Self.Id, failure);
        }
    }

    private void Raise()
    {
        try
        {
            MapChanged?.Invoke(this, EventArgs.Empty);
        }
#pragma warning disable CA1031 // whatever a listener throws: the lease is kept all the same
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ClusterLog.ListenerFailed(_logger, exception);
        }
    }
}
