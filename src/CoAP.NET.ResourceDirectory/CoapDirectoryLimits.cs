using CoAP.NET.Settings;

namespace CoAP.NET.ResourceDirectory;

/// <summary>Limits of a directory, in <see cref="CoapDirectoryOptions.Limits"/>.</summary>
[HasSettings]
public sealed partial class CoapDirectoryLimits
{
    private const int MaxCriteria = 63;

    internal CoapDirectoryLimits()
    {
    }

    /// <summary>The maximum number of registrations, including expired ones that can still be refreshed.</summary>
    /// <remarks>Further ones get 5.03.</remarks>
    [NumberRange(1, 100_000_000)]
    public partial int MaxRegistrations { get; set; } = 100_000;

    /// <summary>The maximum number of registrations per source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>Further ones get 4.03. A source also never gets more than its share of the free room.</remarks>
    [NumberRange(1)]
    public partial int MaxRegistrationsPerSource { get; set; } = 10_000;

    /// <summary>The maximum number of bytes of all registrations with their index entries.</summary>
    /// <remarks>Further registrations get 5.03.</remarks>
    [NumberRange(64 * 1024, IsBytes = true)]
    public partial long MaxBytes { get; set; } = 256L << 20;

    /// <summary>The maximum number of links of a registration</summary>
    [NumberRange(1, ushort.MaxValue)]
    public partial int MaxLinks { get; set; } = 500;

    /// <summary>The maximum number of bytes of the links of a registration</summary>
    /// <remarks>Larger ones get 4.13.</remarks>
    [NumberRange(64, 56 * 1024, IsBytes = true)]
    public partial int MaxLinkBytes { get; set; } = 16 * 1024;

    /// <summary>The maximum number of results of a lookup.</summary>
    /// <remarks>A client gets 4.00 for more results, and has to request pages.</remarks>
    [NumberRange(1)]
    public partial int MaxResults { get; set; } = 1_000;

    /// <summary>The maximum number of pending fetches.</summary>
    /// <remarks>Further ones get 5.03. The directory keeps the same number of results while they are fresh.</remarks>
    [NumberRange(1)]
    public partial int MaxFetches { get; set; } = 100;

    /// <summary>The maximum number of pending fetches per source.</summary>
    /// <remarks>A source also never gets more than its share of the free places.</remarks>
    [NumberRange(1)]
    public partial int MaxFetchesPerSource { get; set; } = 10;

    /// <summary>The maximum number of different observed lookups.</summary>
    /// <remarks>Above this number clients get a response without an observation.</remarks>
    [NumberRange(1)]
    public partial int MaxWatched { get; set; } = 1_000;

    /// <summary>The maximum number of observed lookups started by one source.</summary>
    /// <remarks>A source also never gets more than its share of the free places.</remarks>
    [NumberRange(1)]
    public partial int MaxWatchedPerSource { get; set; } = 50;

    /// <summary>
    /// The maximum time that a registration, an update or a removal waits for the deciding node of a cluster and for the store.
    /// </summary>
    /// <remarks>The client gets 5.03 afterwards.</remarks>
    [TimeRange(100 * Seconds.Millisecond, Seconds.Minute)]
    public partial TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The maximum number of different values of <c>rt</c>, <c>if</c> and <c>et</c> of a registration, 4 to 65,535. Default 256.
    /// </summary>
    /// <remarks>Each value has an entry in the index.</remarks>
    internal int MaxTerms { get; set; } = 256;

    /// <summary>
    /// The maximum number of endpoint attributes of a registration in addition to <c>ep</c>, <c>d</c>, <c>base</c> and <c>lt</c>, 0 to 128.
    /// Default 16.
    /// </summary>
    /// <remarks>Each one has at most 255 bytes.</remarks>
    internal int MaxAttributes { get; set; } = 16;

    /// <summary>The maximum number of bytes of the response to a lookup, 64 or more. Default 128 KiB.</summary>
    internal int MaxAnswerBytes { get; set; } = 128 * 1024;

    /// <summary>The maximum number of registrations that a lookup scans in one step, 1 or more. Default 20,000.</summary>
    /// <remarks>
    /// A lookup by a full value of <c>ep</c>, <c>d</c>, <c>base</c>, <c>et</c>, <c>rt</c> or <c>if</c> scans the registrations with that
    /// value; other lookups scan all. A lookup that exceeds the limit continues in steps of this size, in turn with other such lookups,
    /// and cannot be observed.
    /// </remarks>
    internal int MaxScanned { get; set; } = 20_000;

    /// <summary>
    /// The maximum number of pending lookups that scan more than <see cref="MaxScanned"/> registrations, 1 or more. Default 16.
    /// </summary>
    /// <remarks>Further ones get 5.03.</remarks>
    internal int MaxScans { get; set; } = 16;

    /// <summary>The maximum number of such pending lookups per source, 1 or more. Default 4.</summary>
    /// <remarks>A source also never gets more than its share of the free places.</remarks>
    internal int MaxScansPerSource { get; set; } = 4;

    /// <summary>The maximum number of criteria of a lookup, 1 to 63. Default 16.</summary>
    internal int MaxCriteriaPerLookup { get; set; } = 16;

    /// <exception cref="ArgumentOutOfRangeException">A limit is out of its range.</exception>
    internal void Check()
    {
        Check(MaxTerms, 4, ushort.MaxValue);
        Check(MaxAttributes, 0, 128);
        Check(MaxAnswerBytes, 64, int.MaxValue);
        Check(MaxScanned, 1, int.MaxValue);
        Check(MaxScans, 1, int.MaxValue);
        Check(MaxScansPerSource, 1, int.MaxValue);
        Check(MaxCriteriaPerLookup, 1, MaxCriteria);
    }

    private static void Check(long value, long min, long max,
        [System.Runtime.CompilerServices.CallerArgumentExpression(nameof(value))] string name = "")
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max, name);
    }
}
