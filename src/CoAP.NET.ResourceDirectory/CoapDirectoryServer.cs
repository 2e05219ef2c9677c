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
        Core.Table = CoapTable.InMemory(Core.Rules, Core.Options.TimeProvider,
            new CoapTableOptions { MaxBytes = Math.Max(4096, Core.Options.MaxBytes) });
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

    /// <summary>Loads the registrations that were kept; in memory there are none.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that ends when all can be found.</returns>
    public Task StartAsync(CancellationToken cancellationToken = default) => Core.Table.StartAsync(cancellationToken);

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
            Notices = counts[DirectoryCount.Notices],
            WatchesRefused = counts[DirectoryCount.WatchesRefused],
            Refusals = counts[DirectoryCount.Refusals],
            Fetches = Core.Fetches.UnderWay,
            FetchesRefused = counts[DirectoryCount.FetchesRefused],
            Challenges = counts[DirectoryCount.Challenges],
            Full = counts[DirectoryCount.Full],
            ShareUsedUp = counts[DirectoryCount.ShareUsedUp],
            Forgotten = counts[DirectoryCount.Forgotten],
            GaveWay = counts[DirectoryCount.GaveWay],
        };
    }

    /// <summary>Ends it. Registrations of a cluster stay.</summary>
    /// <returns>A task that ends then.</returns>
    public ValueTask DisposeAsync()
    {
        _meter.Dispose();
        return Core.DisposeAsync();
    }
}
