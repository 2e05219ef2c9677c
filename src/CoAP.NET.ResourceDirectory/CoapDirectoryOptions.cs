using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory;

/// <summary>How a directory works. Read when the <see cref="CoapDirectoryServer"/> is made.</summary>
public sealed class CoapDirectoryOptions
{
    private const int MaxCriteria = 63;

    /// <summary>The path of registrations: one or more segments with a slash before each. Default <c>/rd</c>.</summary>
    public string Path { get; set; } = "/rd";

    /// <summary>The path of look-ups, which are at <c>ep</c> and <c>res</c> below it. Default <c>/rd-lookup</c>.</summary>
    public string LookUpPath { get; set; } = "/rd-lookup";

    /// <summary>What clients may do that have not proven who they are. Default <see cref="CoapUnsecuredRegistrations.SameAddress"/>.
    /// </summary>
    public CoapUnsecuredRegistrations Unsecured { get; set; }

    /// <summary>
    /// Whether updates and removals without security must show by an Echo that they were made after the last change of the registration
    /// (RFC 9176 section 7.4, RFC 9175 section 2.3): so a late or repeated request does not bring back what was removed. Clients of this
    /// library answer the challenge by themselves. Default true.
    /// </summary>
    public bool RequireFreshness { get; set; } = true;

    /// <summary>
    /// Says by which name a client is remembered, in the place of the pre-shared key, certificate, public key or OSCORE context that it has
    /// shown. Called for each request that registers or changes something; must not wait. Null from it: as without. Default null.
    /// </summary>
    public Func<CoapPeer, string?>? IdentityOf { get; set; }

    /// <summary>
    /// Says which endpoint a client is, from what it has proven: it may leave <c>ep</c> out then, and no other name is accepted from it.
    /// Null from it: the client may register any name, as a commissioning tool does. Must not wait. Default null.
    /// </summary>
    public Func<CoapPeer, string?>? EndpointNameOf { get; set; }

    /// <summary>
    /// Says in which sector registrations of a client are, whatever it asks for. Null from it: in that which it asks for. Must not wait.
    /// Default null.
    /// </summary>
    public Func<CoapPeer, string?>? SectorOf { get; set; }

    /// <summary>How many registrations there may be, with those that are over and can still be refreshed; further ones get 5.03. 1 to
    /// 100,000,000; default 100,000.</summary>
    public int MaxRegistrations { get; set; } = 100_000;

    /// <summary>How many of them may be of one source (<see cref="CoapSource"/>), which never gets more than half of what is free either;
    /// it gets 4.03. 1 or more; default 10,000.</summary>
    public int MaxRegistrationsPerSource { get; set; } = 10_000;

    /// <summary>How many bytes registrations may take with their places in the index, in all; further ones get 5.03. 64 KiB or more;
    /// default 256 MiB.</summary>
    public long MaxBytes { get; set; } = 256L << 20;

    /// <summary>How many links a registration may have. 1 to 65,535; default 500.</summary>
    public int MaxLinks { get; set; } = 500;

    /// <summary>How many bytes the links of a registration may have; larger ones get 4.13. 64 to 57,344; default 16 KiB.</summary>
    public int MaxLinkBytes { get; set; } = 16 * 1024;

    /// <summary>How many different values of <c>rt</c>, <c>if</c> and <c>et</c> a registration may have, each of which stands in the index.
    /// 4 to 65,535; default 256.</summary>
    public int MaxTerms { get; set; } = 256;

    /// <summary>How many endpoint attributes a registration may have beside <c>ep</c>, <c>d</c>, <c>base</c> and <c>lt</c>, each of at most
    /// 255 bytes. 0 to 128; default 16.</summary>
    public int MaxAttributes { get; set; } = 16;

    /// <summary>How many results a look-up may have; a client gets 4.00 for more, and asks for pages. 1 or more; default 1,000.</summary>
    public int MaxResults { get; set; } = 1_000;

    /// <summary>How many bytes the answer to a look-up may have. 64 or more; default 128 KiB.</summary>
    public int MaxAnswerBytes { get; set; } = 128 * 1024;

    /// <summary>
    /// How many registrations a look-up may go through at a time. Look-ups by a full value of <c>ep</c>, <c>d</c>, <c>base</c>, <c>et</c>,
    /// <c>rt</c> or <c>if</c> go through those which have it; others through all. One that has to go through more goes on in steps of so
    /// many, in turn with others of that kind, and cannot be observed. 1 or more; default 20,000.
    /// </summary>
    public int MaxScanned { get; set; } = 20_000;

    /// <summary>How many look-ups that go through more than <see cref="MaxScanned"/> registrations may be under way; others get 5.03. 1 or
    /// more; default 16.</summary>
    public int MaxScans { get; set; } = 16;

    /// <summary>How many of them may be of one source, which never gets more than half of what is free either. 1 or more; default 4.
    /// </summary>
    public int MaxScansPerSource { get; set; } = 4;

    /// <summary>How many criteria a look-up may have. 1 to 63; default 16.</summary>
    public int MaxCriteriaPerLookUp { get; set; } = 16;

    /// <summary>
    /// Whether endpoints may ask the directory to fetch their links (<c>/.well-known/rd</c>, RFC 9176 section 5.1). Only those that have
    /// shown that they receive at their address are asked back. Default true.
    /// </summary>
    public bool AllowSimpleRegistration { get; set; } = true;

    /// <summary>How many such fetches may be under way; others get 5.03. As many answers are kept while they are fresh. 1 or more; default
    /// 100.</summary>
    public int MaxFetches { get; set; } = 100;

    /// <summary>How many of them may be of one source, which never gets more than half of what is free either. 1 or more; default 10.
    /// </summary>
    public int MaxFetchesPerSource { get; set; } = 10;

    /// <summary>How many different look-ups may be observed at a time; beyond that clients get a plain answer. 1 or more; default 1,000.
    /// </summary>
    public int MaxWatched { get; set; } = 1_000;

    /// <summary>How many of them one source may have begun, which never gets more than half of what is free either. 1 or more; default 50.
    /// </summary>
    public int MaxWatchedPerSource { get; set; } = 50;

    /// <summary>How long a registration, an update or a removal waits for the node of a cluster that decides about it and for the store;
    /// 5.03 afterwards. 100 ms to 1 minute; default 5 s.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The clock. Default: that of the system.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Where the key of the index comes from, by which nobody can choose what falls into one place of it. Default: the entropy of
    /// the system.</summary>
    public CoapRandomSource Random { get; set; } = CoapRandomSource.Secure;

    /// <summary>Where the directory logs. Default null: nowhere.</summary>
    public ILoggerFactory? LoggerFactory { get; set; }

    /// <summary>Makes the meter. Default null: the one of the process.</summary>
    public IMeterFactory? MeterFactory { get; set; }

    internal CoapDirectoryOptions Checked()
    {
        Check(MaxRegistrations, 1, 100_000_000);
        Check(MaxRegistrationsPerSource, 1, int.MaxValue);
        Check(MaxBytes, 64 * 1024, long.MaxValue);
        Check(MaxLinks, 1, ushort.MaxValue);
        Check(MaxLinkBytes, 64, 56 * 1024);
        Check(MaxTerms, 4, ushort.MaxValue);
        Check(MaxAttributes, 0, 128);
        Check(MaxResults, 1, int.MaxValue);
        Check(MaxAnswerBytes, 64, int.MaxValue);
        Check(MaxScanned, 1, int.MaxValue);
        Check(MaxScans, 1, int.MaxValue);
        Check(MaxScansPerSource, 1, int.MaxValue);
        Check(MaxCriteriaPerLookUp, 1, MaxCriteria);
        Check(MaxFetches, 1, int.MaxValue);
        Check(MaxFetchesPerSource, 1, int.MaxValue);
        Check(MaxWatched, 1, int.MaxValue);
        Check(MaxWatchedPerSource, 1, int.MaxValue);
        ArgumentOutOfRangeException.ThrowIfLessThan(Timeout, TimeSpan.FromMilliseconds(100));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Timeout, TimeSpan.FromMinutes(1));
        return (CoapDirectoryOptions)MemberwiseClone();
    }

    private static void Check(long value, long min, long max,
        [System.Runtime.CompilerServices.CallerArgumentExpression(nameof(value))] string name = "")
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max, name);
    }
}
