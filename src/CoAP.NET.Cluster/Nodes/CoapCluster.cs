using System.Security.Cryptography;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Dtls;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Notifications;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Oscore;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Servers;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tables;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Cryptography;
using CoAP.NET.Diagnostics;
using CoAP.NET.Dtls;
using CoAP.NET.Execution;
using CoAP.NET.Oscore;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster;

/// <summary>A node of a cluster, or the only one. Thread-safe.</summary>
/// <remarks>
/// The node renews its lease, takes slots without a live owner, and knows the fence for its writes to each slot. While the store is
/// unavailable, it continues with its slots and reconnects on its own.
/// <para>The first node that starts has all slots; further nodes stand by, and take over when it ends. A node that stops releases its
/// lease, so that the next one need not wait. With the package CoAP.NET.Orleans all nodes are active: each live node has a fair share of
/// the slots, the others take the slots of a dead node, and a leaving node (<see cref="LeaveAsync"/>) hands its slots over.</para>
/// </remarks>
public sealed class CoapCluster : ICoapReplicatedTableProvider, IAsyncDisposable
{
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private readonly NodeMembership _membership;
    private readonly NodeLeaving _leaving;
    private readonly CoapSlotMoveOptions _moves;
    private readonly ClusterDevices _devices;
    private readonly ClusterDatagramRelay _relays;
    private readonly ClusterInstruments _instruments;

    // The current one, and possibly that of the previous secret.
    private readonly byte[][] _sessionKeys;
    private readonly byte[][] _endpointSecrets;
    private bool _isStarted;
    private bool _isSteered;
    private bool _isStandingBy;
    private bool _isReady;
    private Task? _end;

    /// <summary>Creates a node. It is inactive before <see cref="StartAsync"/>.</summary>
    /// <param name="store">The store of the state, which is encrypted with the secret. The cluster disposes of it.</param>
    /// <param name="options">The options, read-only from now on.</param>
    /// <param name="timeProvider">The clock; null for the system clock.</param>
    /// <param name="random">The source of the node's id and of nonces; null for the operating system.</param>
    /// <param name="logger">The log of store failures and takeovers; null for none.</param>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL.</exception>
    internal CoapCluster(
        ICoapClusterStore store, CoapClusterOptions options, TimeProvider? timeProvider = null, CoapRandomSource? random = null,
        ILogger? logger = null)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(options);
        if (options.FindFault() is { } fault)
        {
            throw new ArgumentException(fault, nameof(options));
        }

        options.MakeReadOnly("a cluster");
        PlatformCryptographyAvailability.ThrowIfMissing("A cluster");

        _time = timeProvider ?? TimeProvider.System;
        _logger = logger ?? NullLogger.Instance;
        Self = new CoapClusterNode(CoapNodeId.New(random), "");
        Peers = new NodePeers(Self.Id, options.Network?.Invoke(Self.Id), _time, _logger);
        _relays = new ClusterDatagramRelay(Self.Id, Peers);
        _instruments = ClusterInstruments.Of(options.MeterFactory);
        Store = new CoapSealedClusterStore(
            new MeasuredClusterStore(store, _instruments.StoreDuration, _time), options.Secrets, random, _time, _logger,
            options.NewestRecordFormat);
        Writer = new CoapRecordWriteQueue(Store, options.Writer, _time, _logger);
        OscoreNumbers = new CoapClusterOscoreStore(this);
        Contexts = new OscoreRelays(this, _relays, _time);
        _moves = options.Moves;
        Releases = new SlotReleases(Self.Id, Writer, _moves.ReleaseTimeout, _time, _logger);
        _membership = new NodeMembership(Store, Self.Id, options.Lease, Peers, Releases, _time, _logger);
        _leaving = new NodeLeaving(Self.Id, _membership, _moves, _time, _logger);
        SlotOwnership = new SlotOwnership(Self.Id, _membership, Releases, _time, _logger);
        Observations = new CoapClusterObservations(this, _time, random ?? CoapRandomSource.Secure, _logger);
        _membership.MapChanged += OnMapChanged;
        Writer.HealthChanged += OnWriterHealthChanged;
        Resumptions = new ClusterResumptions(this, _time);
        _devices = new ClusterDevices(this, options.Devices, _time, random ?? CoapRandomSource.Secure, _logger);
        Releases.Add(_devices.SlotState);
        Observers = new ClusterObserverStores(this, options.Observers, _time);
        Releases.Add(Observers);
        Tables = new ClusterReplicatedTables(this, _time, _logger);
        Releases.Add(Tables);
        Servers = new ClusterServers(this, _devices.Local);
        Service = new NodeService(this, _devices.Outbox, _logger);
        if (Peers.IsOn)
        {
            Notifications = new ClusterNotifications(Peers, _time, _logger);
            Peers.Listen(Notifications);
        }

        _sessionKeys = ClusterSecrets.DeriveKeys(options.Secrets, "sessions");
        _endpointSecrets = ClusterSecrets.DeriveKeys(options.Secrets, "endpoints");
        _instruments.Add(this);
    }

    /// <summary>Raised when <see cref="Map"/> has changed, on the thread that read it.</summary>
    internal event EventHandler? MapChanged;

    /// <summary>This node. Its address, which only nodes on Orleans have, is known after <see cref="StartAsync"/>.</summary>
    internal CoapClusterNode Self { get; private set; }

    /// <summary>Relays requests under OSCORE to the nodes with their contexts.</summary>
    internal OscoreRelays Contexts { get; }

    /// <summary>The store, which encrypts its records. Records of <see cref="Writer"/> must not be written in another way.</summary>
    internal CoapSealedClusterStore Store { get; }

    /// <summary>Writes records asynchronously, in batches.</summary>
    internal CoapRecordWriteQueue Writer { get; }

    /// <summary>Keeps the sequence numbers of OSCORE contexts (RFC 8613 appendix B.1) in the store.</summary>
    /// <remarks>
    /// A context belongs to the node that owns its slot. Its record never expires: see <see cref="ForgetOscoreContextAsync"/>. Reserved
    /// numbers remain usable while the store is unavailable.
    /// </remarks>
    public IOscoreStore OscoreStore => OscoreNumbers;

    /// <summary>The same, with what only this library uses.</summary>
    internal CoapClusterOscoreStore OscoreNumbers { get; }

    /// <summary>Observations of this application at devices, which outlive the process.</summary>
    public CoapClusterObservations Observations { get; }

    internal NodePeers Peers { get; }

    /// <summary>What this node does for the others.</summary>
    internal INodeService Service { get; }

    /// <summary>Reports changes of resources to the observers at other nodes; null if there are no others.</summary>
    internal ClusterNotifications? Notifications { get; }

    /// <summary>DTLS sessions that clients may resume.</summary>
    internal ClusterResumptions Resumptions { get; }

    /// <summary>Forwards datagrams to the nodes of their sessions.</summary>
    internal ClusterDatagramRelay Relays => _relays;

    /// <summary>The devices with sessions and connections at servers of the cluster, by name.</summary>
    public ICoapDevices Devices => _devices;

    internal ClusterServers Servers { get; }

    internal ClusterObserverStores Observers { get; }

    internal ClusterReplicatedTables Tables { get; }

    internal EventCounter<ClusterMetric> Counts { get; } = new();

    /// <summary>The number of devices with a session or connection at this node.</summary>
    internal int DeviceCount => _devices.Local.Count;

    /// <summary>The live nodes and the owner of each slot, as last read from the store; empty before the first read.</summary>
    internal CoapClusterSlotMap Map => _membership.Map;

    /// <summary>Whether the store accepts leases and records. While it does not, the node continues with what it has.</summary>
    internal CoapStoreHealth Health => _membership.Health is { IsDegraded: true } health ? health : Writer.Health;

    /// <summary>The last failure of the store; null while the store accepts leases and records.</summary>
    internal CoapClusterStoreException? StoreFailure => Health.Failure;

    /// <summary>
    /// The failure of a store that is gone or replaced: no reserved number is used any more, because the next process would not know that
    /// it was used. Null for none.
    /// </summary>
    internal CoapClusterStoreException? StoreLoss => _membership.Loss
        ?? (Writer.Health.Failure is { Fault: CoapClusterStoreFault.Lost } loss ? loss : null);

    /// <summary>Whether the node has joined. It gets no slots before.</summary>
    internal bool IsReady => Volatile.Read(ref _isReady);

    /// <summary>Whether the node is leaving (<see cref="LeaveAsync"/>).</summary>
    public bool IsLeaving => _membership.IsLeaving;

    /// <summary>The slots of this node that are about to move.</summary>
    internal SlotReleases Releases { get; }

    /// <summary>Takes and releases slots one by one, where nodes share them.</summary>
    internal SlotOwnership SlotOwnership { get; }

    internal CoapSlotMoveOptions Moves => _moves;

    /// <summary>Returns the planned owner of each slot.</summary>
    internal SlotPlan PlanOf(CoapClusterSlotMap map) => _membership.PlanOf(map);

    /// <summary>
    /// Keeps the DTLS sessions of a server in the store: they survive a crash and a restart, and a node that takes over continues them. For
    /// <see cref="CoapDtlsServerOptions.SessionBackup"/>.
    /// </summary>
    /// <param name="server">The name that distinguishes the server from others of the process: at most 64 bytes of UTF-8, the same after a
    /// restart.</param>
    /// <returns>The value for the options of one server.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    internal CoapDtlsSessionBackupOptions CreateSessionBackup(string server = "")
    {
        byte[] name = ClusterServers.NameOf(server);
        lock (_gate)
        {
            // Zeros must never become a key.
            ObjectDisposedException.ThrowIf(_end is not null, this);
            return new CoapDtlsSessionBackupOptions(new ClusterSessionBackup(this, _time, name), _sessionKeys[0])
            {
                PreviousKey = _sessionKeys.Length > 1 ? _sessionKeys[1] : default,
                UsesPreviousKey = () => Store.UsesPreviousSecret,
                StoresProgress = true,
            };
        }
    }

    /// <summary>
    /// Shares the data for short handshakes, with which clients resume DTLS sessions (RFC 5246 section 7.3). For
    /// <see cref="CoapDtlsServerOptions.ResumptionStore"/>.
    /// </summary>
    /// <remarks>A client can resume a session of one node at any node, also after a restart.</remarks>
    /// <param name="server">The name that distinguishes the server from others with other clients or other trusted authorities: at most 64
    /// bytes of UTF-8, the same on all nodes.</param>
    /// <returns>The value for the options of a server.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    internal ICoapDtlsResumptionStore ResumeDtlsSessions(string server = "") => Resumptions.Of(ClusterServers.NameOf(server));

    /// <summary>The secret that the endpoints of all nodes share, for <see cref="CoapMultiProcessOptions.SharedSecret"/>.</summary>
    /// <remarks>
    /// With it DTLS cookies, Echo values and tokens of stateless clients are valid on each node and after a restart. It is derived from the
    /// secret of the cluster, and wiped when the cluster is disposed of; an endpoint copies it when it is created.
    /// <para><c>KeepState</c> sets it, and while a node has two secrets (<see cref="CoapClusterOptions.Secrets"/>) both: each node accepts
    /// the values of all others. Without <c>KeepState</c> an endpoint has one secret, here that of the previous one of the two. Values of
    /// nodes with only the new one are then not valid there: clients are asked for another cookie or Echo value, and a stateless client
    /// drops the response.</para>
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    internal ReadOnlyMemory<byte> EndpointSecret
    {
        get
        {
            lock (_gate)
            {
                // Zeros must never become a key.
                ObjectDisposedException.ThrowIf(_end is not null, this);
                return _endpointSecrets[^1];
            }
        }
    }

    /// <summary>Keeps the state of the server created from these options: the observers of its resources outlive the process.</summary>
    /// <remarks>
    /// Its DTLS sessions also do if <see cref="CoapDtlsExtensions.UseDtls"/> was called before. Then create the server, and call
    /// <see cref="Attach"/>. With a host, call <c>AddCoapServer().KeepState()</c> instead.
    /// </remarks>
    /// <param name="options">The options of the endpoint. Dispose of the cluster after the server.</param>
    /// <param name="server">The name that distinguishes the server from others of the process: at most 64 bytes of UTF-8, the same after a
    /// restart and on every node.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    /// <exception cref="InvalidOperationException">Observers or sessions are already kept elsewhere.</exception>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    public CoapEndpointOptions KeepState(CoapEndpointOptions options, string server = "")
    {
        ArgumentNullException.ThrowIfNull(options);
        Servers.Use(options, server);
        return options;
    }

    /// <summary>Keeps the sessions of the DTLS server created from these options: they outlive the process.</summary>
    /// <remarks>
    /// Meant for applications that create a transport by <c>CoapDtls.CreateTransport</c>;
    /// <see cref="KeepState(CoapEndpointOptions, string)"/> calls it.
    /// </remarks>
    /// <param name="options">The options of the DTLS server. Dispose of the cluster after the server.</param>
    /// <param name="server">The name of the server; the same as that of its endpoint.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The name is too long.</exception>
    /// <exception cref="InvalidOperationException">Sessions are already kept elsewhere.</exception>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    public CoapDtlsServerOptions KeepState(CoapDtlsServerOptions options, string server = "")
    {
        ArgumentNullException.ThrowIfNull(options);
        Servers.Use(options, server);
        return options;
    }

    /// <summary>Removes the record of an OSCORE context whose keys were replaced or destroyed at both ends.</summary>
    /// <remarks>
    /// The record of a provisioned context never expires by itself: without it the numbers of the context would begin at 0 again, under the
    /// same key. An open context can then reserve no more numbers. Never call it for keys that may be used again: an eavesdropper can read
    /// two messages with the same number under the same key.
    /// </remarks>
    /// <param name="key">The context, from <see cref="OscoreStoreKey.Of"/>.</param>
    /// <param name="cancellationToken">Stops waiting; the record is removed nevertheless.</param>
    /// <returns>A task that completes when the store has confirmed the removal, also if there was no record.</returns>
    /// <exception cref="OscoreStoreException">This node does not own the slot of the context (<see cref="OscoreStoreFault.InUse"/>: another
    /// node does), or the store failed.</exception>
    public Task ForgetOscoreContextAsync(OscoreStoreKey key, CancellationToken cancellationToken = default) =>
        OscoreNumbers.ForgetAsync(key, cancellationToken).AsTask();

    /// <summary>Sets the secrets that the endpoints of all nodes share: the current one, and possibly the previous one.</summary>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    internal void ShareSecrets(CoapEndpointOptions options)
    {
        lock (_gate)
        {
            // Zeros must never become a key.
            ObjectDisposedException.ThrowIf(_end is not null, this);
            options.Processes.SharedSecret = _endpointSecrets[0];
            options.Processes.PreviousSecret = _endpointSecrets.Length > 1
                ? new PreviousSecret(_endpointSecrets[1], () => Store.UsesPreviousSecret)
                : null;
        }
    }

    /// <summary>Attaches a server that was created with <c>KeepState</c>. Call it before the server starts, or soon after.</summary>
    /// <remarks>
    /// After the start of the server its kept observers are restored, and its peers appear in <see cref="Devices"/>.
    /// <see cref="CoapServer.Notify"/> reaches the observers of the servers of the same name on all nodes.
    /// <c>AddCoapServer().KeepState()</c> attaches a hosted server.
    /// </remarks>
    /// <param name="server">The server. Attaching it again does nothing.</param>
    /// <exception cref="InvalidOperationException">The server was created without <c>KeepState</c> of this cluster, or has stopped;
    /// another server has its name; or <c>UseDtls</c> was called after <c>KeepState</c>. The message contains the remedy.</exception>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    public void Attach(CoapServer server)
    {
        ArgumentNullException.ThrowIfNull(server);
        Servers.Attach(server);
    }

    /// <summary>Opens a table: entries in memory of all nodes and in the store, each with one deciding node.</summary>
    /// <remarks>
    /// All nodes open it with the same rules. Call <see cref="StartAsync"/> first, and then <see cref="CoapReplicatedTable.StartAsync"/>,
    /// which loads the entries.
    /// </remarks>
    /// <param name="kind">The kind of its entries: a member of <see cref="CoapReplicatedTableKind"/>, or a number from
    /// <see cref="CoapReplicatedTableKind.Application"/> on, the same on all nodes and after every restart.</param>
    /// <param name="rules">Makes the decisions, and receives the changes.</param>
    /// <param name="options">Limits and times, read-only from now on; null for the defaults.</param>
    /// <returns>The table. It ends with the cluster, or when it is disposed of.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The kind belongs to other records, or an option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">A table of this kind is open already.</exception>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    internal CoapReplicatedTable OpenTable(
        CoapReplicatedTableKind kind, ICoapReplicatedTableRules rules, CoapReplicatedTableOptions? options = null) =>
        ((ICoapReplicatedTableProvider)this).OpenTable(kind, rules, options);

    CoapReplicatedTable ICoapReplicatedTableProvider.OpenTable(
        CoapReplicatedTableKind kind, ICoapReplicatedTableRules rules, CoapReplicatedTableOptions? options)
    {
        ThrowIfEnded();
        return Tables.Open((CoapRecordKind)kind, rules, options);
    }

    /// <summary>Returns the forwarding of datagrams for the sessions of a server to the owners of their slots.</summary>
    internal ClusterSteering Steer(ClusterSessionBackup backup)
    {
        Volatile.Write(ref _isSteered, true);
        return backup.Steering ??= new ClusterSteering(this, _relays, backup,
            WatchSuspension(backup.DropLostAsync), _moves, _time);
    }

    /// <summary>Creates a watch that limits the time of serving while the node runs.</summary>
    /// <param name="dropLost">Drops what belongs to lost slots.</param>
    internal SuspensionDetector WatchSuspension(Func<Task> dropLost) =>
        new(Self.Id, _membership, dropLost, Peers.DeathDelay, _time, _logger);

    /// <summary>
    /// Makes the node stand by until <see cref="Activate"/>: a host starts its servers after the cluster, and none could serve before.
    /// </summary>
    internal void StandBy() => Volatile.Write(ref _isStandingBy, true);

    /// <summary>Ends <see cref="StandBy"/>: all servers of the host run.</summary>
    internal void Activate()
    {
        Volatile.Write(ref _isStandingBy, false);
        Volatile.Write(ref _isSteered, false);
        _ = ActivateWhenReady();
    }

    /// <summary>Records that a server with sessions runs.</summary>
    internal void OnServing()
    {
        if (!Volatile.Read(ref _isStandingBy))
        {
            Volatile.Write(ref _isSteered, false);
            _ = ActivateWhenReady();
        }
    }

    internal CoapClusterObserverCounters GetObserverCounters() => Observers.GetCounters();

    /// <summary>Returns the fence for writes of this node to records of a slot.</summary>
    /// <returns>The fence; unset (<see cref="CoapFencingToken.IsSet"/>) if this node does not own the slot.</returns>
    internal CoapFencingToken FenceOf(CoapSlot slot) => Map[slot] is { } owner && owner.Node == Self.Id ? owner.Fence : default;

    /// <summary>Joins the cluster and takes the slots without a live owner.</summary>
    /// <remarks>
    /// The start does not fail if the store is unavailable: the node retries until it succeeds, and has no slots until then
    /// (the log tells it).
    /// </remarks>
    /// <param name="cancellationToken">Stops waiting for the first attempt.</param>
    /// <returns>A task that completes after the first attempt.</returns>
    public async Task StartAsync(CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_end is not null, this);
            if (_isStarted)
            {
                throw new InvalidOperationException("The node was already started. Create another CoapCluster to join again.");
            }

            _isStarted = true;
        }

        Self = Self with { Address = Peers.Address };
        await _membership.StartAsync(Self, shares: !Peers.IsOn && CanActivate, cancellationToken).ConfigureAwait(false);
        await ActivateWhenReady().ConfigureAwait(false);
    }

    /// <summary>Hands all slots over to the other nodes before the servers stop.</summary>
    /// <remarks>
    /// Pending requests finish, sessions continue elsewhere, and the node relays late messages for a while
    /// (keys <c>Moves</c>). It does nothing if no other node shares the slots. A host calls it before it stops its
    /// servers; dispose of the cluster afterwards.
    /// </remarks>
    /// <param name="cancellationToken">Stops waiting; other nodes take the remaining slots when this node has ended.</param>
    /// <returns>A task that completes when the servers may stop.</returns>
    public Task LeaveAsync(CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            return _end is null && _isStarted ? _leaving.LeaveAsync(cancellationToken) : Task.CompletedTask;
        }
    }

    internal CoapClusterNodeCounters GetNodeCounters() => new()
    {
        Taken = _membership.Taken + SlotOwnership.Taken,
        HandedOver = SlotOwnership.HandedOver,
        Lost = _membership.Lost,
        Moving = Releases.CountIn(Map),
        Relayed = _relays.Counts.Relayed,
        RelaysReceived = _relays.Counts.Received,
        RelaysReturned = _relays.Counts.Returned,
        RelaysRefused = _relays.Counts.Refused,
        RelaysStray = _relays.Counts.Stray,
        RelaysLost = _relays.Counts.Lost,
        DatagramsWaiting = _relays.QueuedCount,
        DatagramsQueued = _relays.Counts.DatagramsQueued,
        QueuedDatagramsDropped = _relays.Counts.QueuedDatagramsDropped,
    };

    /// <summary>Writes the pending records, releases the lease, and closes the store.</summary>
    /// <returns>A task that completes when the store is closed.</returns>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _end ??= EndAsync();
        }

        return new ValueTask(_end);
    }

    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    internal void ThrowIfEnded()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_end is not null, this);
        }
    }

    private async Task EndAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        Servers.End();
        Contexts.End();
        await Tables.EndAsync().ConfigureAwait(false);
        await Observers.Queue.EndAsync().ConfigureAwait(false);

        _devices.Dispose();
        await _leaving.DisposeAsync().ConfigureAwait(false);
        await Observations.EndAsync().ConfigureAwait(false);

        // The lease remains valid while the rest is written.
        await Writer.DisposeAsync().ConfigureAwait(false);
        Notifications?.Dispose();
        Peers.End();
        await _membership.DisposeAsync().ConfigureAwait(false);
        await Store.DisposeAsync().ConfigureAwait(false);
        _instruments.Remove(this);
        foreach (byte[] key in (byte[][])[.. _sessionKeys, .. _endpointSecrets])
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    // If a server is started after the cluster, slots would arrive here before a server runs.
    private bool CanActivate => !Volatile.Read(ref _isStandingBy) && !Volatile.Read(ref _isSteered);

    private Task ActivateWhenReady()
    {
        CoapClusterSlotMap map = Map;
        if (!IsReady && map.IsThere(Self.Id))
        {
            Volatile.Write(ref _isReady, true);
        }

        return IsReady && CanActivate ? _membership.BeginTakingSlots() : Task.CompletedTask;
    }

    // Sooner than the next renewal.
    private void OnWriterHealthChanged(object? sender, EventArgs arguments)
    {
        if (Writer.Health.Failure is { Fault: CoapClusterStoreFault.Lost } loss)
        {
            _membership.OnLost(loss);
        }
    }

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        Peers.Update(Map);
        _ = ActivateWhenReady();
        try
        {
            MapChanged?.Invoke(this, EventArgs.Empty);
        }
#pragma warning disable CA1031 // the lease is renewed regardless of exceptions of a listener
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ClusterLog.ListenerFailed(_logger, exception);
        }
    }
}
