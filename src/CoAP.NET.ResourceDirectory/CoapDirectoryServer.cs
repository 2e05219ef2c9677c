using System.Text;
using CoAP.NET.Cluster;

namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// A Resource Directory (RFC 9176): endpoints register their links with it, and clients look them up.
/// <see cref="CoapDirectoryRoutes.MapResourceDirectory(ICoapRouteBuilder, CoapDirectoryServer)"/> puts it on a server. Thread-safe.
/// </summary>
public sealed class CoapDirectoryServer : IAsyncDisposable
{
    private readonly DirectoryMeter _meter;

    /// <summary>Makes a directory of one process, which keeps nothing.</summary>
    /// <param name="options">How it works; null for the defaults. Copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public CoapDirectoryServer(CoapDirectoryOptions? options = null)
    {
        Core = new DirectoryCore((options ?? new CoapDirectoryOptions()).Checked(), []);
        Core.Table = CoapTable.InMemory(Core.Rules, Core.Options.TimeProvider, BoundsOf(Core.Options));
        _meter = new DirectoryMeter(this, Core.Options.MeterFactory);

        // There is nothing to load, so that this has ended when it returns.
        _ = Core.StartAsync(CancellationToken.None);
    }

    /// <summary>
    /// Makes a directory whose registrations a cluster keeps: they are there after a restart, and every node finds all of them, whichever
    /// took them. Each node makes one, with the same options.
    /// </summary>
    /// <param name="cluster">The cluster. Start it before this directory (<see cref="StartAsync"/>), and end it afterwards.</param>
    /// <param name="options">How it works; null for the defaults. Copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">The cluster has a directory on this node already.</exception>
    /// <exception cref="ObjectDisposedException">The cluster has ended.</exception>
    public CoapDirectoryServer(CoapCluster cluster, CoapDirectoryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(cluster);

        // Links of two hosts are not the same, so the node is a part of their names.
        Core = new DirectoryCore((options ?? new CoapDirectoryOptions()).Checked(), Encoding.UTF8.GetBytes(cluster.Self.Id.ToString()));
        Core.Table = cluster.OpenTable(CoapRecordKind.Registration, Core.Rules, BoundsOf(Core.Options));
        _meter = new DirectoryMeter(this, Core.Options.MeterFactory);
    }

    /// <summary>How many endpoints can be found at the moment.</summary>
    public int Count
    {
        get
        {
            Core.Index.EndLifetimes();
            return Core.Index.ActiveCount;
        }
    }

    internal DirectoryCore Core { get; }

    /// <summary>
    /// Loads the registrations that a cluster keeps; in memory there are none. While the store is away it is asked again every second.
    /// Until all are there look-ups get 5.03 (Service Unavailable), as nobody should take a part for all. May be called again.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting; loading goes on.</param>
    /// <returns>A task that ends when all can be found.</returns>
    /// <exception cref="ObjectDisposedException">The directory or its cluster has ended.</exception>
    public Task StartAsync(CancellationToken cancellationToken = default) => Core.StartAsync(cancellationToken);

    /// <summary>What it has done so far, and holds.</summary>
    /// <returns>The counts.</returns>
    public CoapDirectoryCounters GetCounters()
    {
        DirectoryCounts counts = Core.Counts;
        return new CoapDirectoryCounters
        {
            Endpoints = Count,
            Held = Core.Index.Shares.Count,
            Bytes = Core.Index.Shares.Bytes,
            Sources = Core.Index.Shares.Sources,
            Watched = Core.Watched,
            Registrations = counts[DirectoryCount.Registrations],
            SimpleRegistrations = counts[DirectoryCount.SimpleRegistrations],
            Updates = counts[DirectoryCount.Updates],
            Removals = counts[DirectoryCount.Removals],
            LookUps = counts[DirectoryCount.LookUps],
            LookUpsRefused = counts[DirectoryCount.LookUpsRefused],
            Scans = counts[DirectoryCount.Scans],
            ScansRefused = counts[DirectoryCount.ScansRefused],
            Notices = counts[DirectoryCount.Notices],
            WatchesRefused = counts[DirectoryCount.WatchesRefused],
            WatchesGaveWay = counts[DirectoryCount.WatchesGaveWay],
            Refusals = counts[DirectoryCount.Refusals],
            Fetches = Core.Fetches.UnderWay,
            FetchesRefused = counts[DirectoryCount.FetchesRefused],
            Challenges = counts[DirectoryCount.Challenges],
            Full = counts[DirectoryCount.Full],
            ShareUsedUp = counts[DirectoryCount.ShareUsedUp],
            Forgotten = counts[DirectoryCount.Forgotten],
            GaveWay = counts[DirectoryCount.GaveWay],
            Unavailable = counts[DirectoryCount.Unavailable],
        };
    }

    /// <summary>Ends it: what is asked afterwards gets 5.03. Registrations of a cluster stay.</summary>
    /// <returns>A task that ends then.</returns>
    public ValueTask DisposeAsync()
    {
        _meter.Dispose();
        return Core.DisposeAsync();
    }

    private static CoapTableOptions BoundsOf(CoapDirectoryOptions options) =>
        new() { MaxBytes = Math.Min(options.MaxBytes, 1L << 40), Timeout = options.Timeout };
}
