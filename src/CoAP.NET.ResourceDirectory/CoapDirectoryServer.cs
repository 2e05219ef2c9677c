using CoAP.NET.Diagnostics;
using CoAP.NET.ResourceDirectory.Serving;
using CoAP.NET.ResourceDirectory.Telemetry;

namespace CoAP.NET.ResourceDirectory;

/// <summary>A Resource Directory (RFC 9176): endpoints register their links, and clients look them up.</summary>
/// <remarks>
/// <see cref="CoapDirectoryRoutes.MapResourceDirectory(ICoapRouteBuilder, CoapDirectoryServer)"/> maps it to a server. Thread-safe.
/// </remarks>
public sealed class CoapDirectoryServer : IAsyncDisposable
{
    private readonly DirectoryMeter _meter;

    /// <summary>Creates a directory that exists in this process only and does not persist registrations.</summary>
    /// <param name="options">The options; null for the defaults. They are read-only from now on.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public CoapDirectoryServer(CoapDirectoryOptions? options = null)
    {
        Core = new DirectoryServerState((options ?? new CoapDirectoryOptions()).Checked());
        Core.Table = CoapReplicatedTable.InMemory(
            Core.Rules, Core.Options.TimeProvider, BoundsOf(Core.Options), random: Core.Options.Random);
        _meter = new DirectoryMeter(this, Core.Options.MeterFactory);

        // It loads nothing and therefore completes synchronously.
        _ = Core.StartAsync(CancellationToken.None);
    }

    /// <summary>Creates a directory whose registrations are in a table of several nodes: of a cluster (<c>CoapCluster</c>).</summary>
    /// <remarks>
    /// The registrations survive a restart, and every node finds all of them, regardless of the node that accepted them. Each node creates
    /// one directory, with the same options.
    /// </remarks>
    /// <param name="tables">The cluster. Start it before this directory (<see cref="StartAsync"/>), and stop it afterwards.</param>
    /// <param name="options">The options; null for the defaults. They are read-only from now on.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">The cluster already has a directory on this node.</exception>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    public CoapDirectoryServer(ICoapReplicatedTableProvider tables, CoapDirectoryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(tables);
        Core = new DirectoryServerState((options ?? new CoapDirectoryOptions()).Checked());
        Core.Table = tables.OpenTable(CoapReplicatedTableKind.Registrations, Core.Rules, BoundsOf(Core.Options));
        _meter = new DirectoryMeter(this, Core.Options.MeterFactory);
    }

    /// <summary>The current number of visible endpoints.</summary>
    public int Count
    {
        get
        {
            Core.Index.EndLifetimes();
            return Core.Index.ActiveCount;
        }
    }

    internal DirectoryServerState Core { get; }

    /// <summary>Loads the registrations from the cluster; without a cluster there is nothing to load.</summary>
    /// <remarks>
    /// While the store is unavailable, the directory retries every second. Lookups get 5.03 (Service Unavailable) until all registrations
    /// are loaded, because clients must not take a part for the whole. It may be called again.
    /// </remarks>
    /// <param name="cancellationToken">Stops waiting; loading continues.</param>
    /// <returns>A task that completes when all registrations are visible.</returns>
    /// <exception cref="ObjectDisposedException">The directory or its cluster is disposed.</exception>
    public Task StartAsync(CancellationToken cancellationToken = default) => Core.StartAsync(cancellationToken);

    /// <summary>Returns the counters of the directory since its start and its current size.</summary>
    /// <returns>A snapshot of the counters.</returns>
    internal CoapDirectoryCounters GetCounters()
    {
        EventCounter<DirectoryCounterKind> counts = Core.Counts;
        return new CoapDirectoryCounters
        {
            Endpoints = Count,
            StoredRegistrations = Core.Index.Quota.Count,
            Bytes = Core.Index.Quota.Bytes,
            Sources = Core.Index.Quota.Sources,
            Watched = Core.Watched,
            Registrations = counts[DirectoryCounterKind.Registrations],
            SimpleRegistrations = counts[DirectoryCounterKind.SimpleRegistrations],
            Updates = counts[DirectoryCounterKind.Updates],
            Removals = counts[DirectoryCounterKind.Removals],
            Lookups = counts[DirectoryCounterKind.Lookups],
            LookupsRefused = counts[DirectoryCounterKind.LookupsRefused],
            Scans = counts[DirectoryCounterKind.Scans],
            ScansRefused = counts[DirectoryCounterKind.ScansRefused],
            Notices = counts[DirectoryCounterKind.Notices],
            WatchesRefused = counts[DirectoryCounterKind.WatchesRefused],
            ObservedLookupsEvicted = counts[DirectoryCounterKind.ObservedLookupsEvicted],
            Refusals = counts[DirectoryCounterKind.Refusals],
            Fetches = Core.Fetches.InProgress,
            FetchesRefused = counts[DirectoryCounterKind.FetchesRefused],
            Challenges = counts[DirectoryCounterKind.Challenges],
            Full = counts[DirectoryCounterKind.Full],
            SourceQuotaUsedUp = counts[DirectoryCounterKind.SourceQuotaUsedUp],
            Forgotten = counts[DirectoryCounterKind.Forgotten],
            Evicted = counts[DirectoryCounterKind.Evicted],
            Unavailable = counts[DirectoryCounterKind.Unavailable],
        };
    }

    /// <summary>Stops the directory; later requests get 5.03. Registrations in a cluster remain.</summary>
    /// <returns>A task that completes when it has stopped.</returns>
    public ValueTask DisposeAsync()
    {
        _meter.Dispose();
        return Core.DisposeAsync();
    }

    private static CoapReplicatedTableOptions BoundsOf(CoapDirectoryOptions options) =>
        new() { MaxBytes = Math.Min(options.Limits.MaxBytes, 1L << 40), Timeout = options.Limits.Timeout };
}
