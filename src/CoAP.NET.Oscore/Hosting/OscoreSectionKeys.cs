using CoAP.NET.Oscore;

namespace CoAP.NET.Hosting;

/// <summary>The keys of OSCORE.</summary>
internal static class OscoreSectionKeys
{
    /// <summary>The section of OSCORE.</summary>
    public const string Section = "Oscore";

    private static readonly TextKind<string> s_path = new("path of a file or directory", static text => text);
    private static readonly TextKind<string> s_directory = new("path of a directory", static text => text);

    /// <summary>A server whose requests OSCORE protects.</summary>
    public static TextKind<string> Server { get; } = new(
        "scheme, host and port such as coap://device.example", static text => CoapUri.TryParse(text, out _) ? text : null);

    /// <summary>The keys of servers.</summary>
    public static KeyTable<CoapOscoreServerFileOptions> ServerTable { get; } = new KeyTable<CoapOscoreServerFileOptions>()
        .List("Oscore:Files", s_path, static oscore => oscore.Files)
        .Text("Oscore:Store", s_directory, static oscore => oscore.Store, static (oscore, value) => oscore.Store = value)
        .Time("Oscore:ResolveTimeout", new TimeKind(TimeSpan.Zero, TimeSpan.FromHours(1), isAbove: true),
            static oscore => oscore.ResolveTimeout, static (oscore, value) => oscore.ResolveTimeout = value)
        .Bytes("Oscore:MaxUnfragmentedSize", 0, 16 << 20, static oscore => oscore.MaxUnfragmentedSize,
            static (oscore, value) => oscore.MaxUnfragmentedSize = (int)value)
        .Include(Limits, static oscore => oscore.Limits);

    /// <summary>The keys of clients.</summary>
    public static KeyTable<CoapOscoreClientFileOptions> ClientTable { get; } = new KeyTable<CoapOscoreClientFileOptions>()
        .Text("Oscore:File", s_path, static oscore => oscore.File, static (oscore, value) => oscore.File = value)
        .Text("Oscore:Store", s_directory, static oscore => oscore.Store, static (oscore, value) => oscore.Store = value)
        .Text("Oscore:Uri", Server, static oscore => oscore.Uri, static (oscore, value) => oscore.Uri = value);

    /// <summary>The keys of <see cref="OscoreLimits"/>.</summary>
    private static KeyTable<OscoreLimits> Limits => new KeyTable<OscoreLimits>()
        .Number("Oscore:Limits:MaxLookups", 1, 65_536, static limits => limits.MaxLookups,
            static (limits, value) => limits.MaxLookups = value)
        .Number("Oscore:Limits:MaxLookupsPerSource", 1, 65_536, static limits => limits.MaxLookupsPerSource,
            static (limits, value) => limits.MaxLookupsPerSource = value)
        .Number("Oscore:Limits:LookupBurst", 1, 1_048_576, static limits => limits.LookupBurst,
            static (limits, value) => limits.LookupBurst = value)
        .Number("Oscore:Limits:LookupsPerSecond", 1, 1_048_576, static limits => limits.LookupsPerSecond,
            static (limits, value) => limits.LookupsPerSecond = value)
        .Number("Oscore:Limits:UnverifiedLookupBurst", 1, 1_048_576, static limits => limits.UnverifiedLookupBurst,
            static (limits, value) => limits.UnverifiedLookupBurst = value)
        .Number("Oscore:Limits:UnverifiedLookupsPerSecond", 1, 1_048_576, static limits => limits.UnverifiedLookupsPerSecond,
            static (limits, value) => limits.UnverifiedLookupsPerSecond = value)
        .Number("Oscore:Limits:MaxUnknownIds", 1, 1_048_576, static limits => limits.MaxUnknownIds,
            static (limits, value) => limits.MaxUnknownIds = value)
        .Time("Oscore:Limits:UnknownIdTime", new TimeKind(TimeSpan.Zero, TimeSpan.FromDays(1)), static limits => limits.UnknownIdTime,
            static (limits, value) => limits.UnknownIdTime = value)
        .Number("Oscore:Limits:RefusalBurst", 1, 1_048_576, static limits => limits.RefusalBurst,
            static (limits, value) => limits.RefusalBurst = value)
        .Number("Oscore:Limits:RefusalsPerSecond", 1, 1_048_576, static limits => limits.RefusalsPerSecond,
            static (limits, value) => limits.RefusalsPerSecond = value)
        .Number("Oscore:Limits:DerivationBurst", 1, 1_048_576, static limits => limits.DerivationBurst,
            static (limits, value) => limits.DerivationBurst = value)
        .Number("Oscore:Limits:DerivationsPerSecond", 1, 1_048_576, static limits => limits.DerivationsPerSecond,
            static (limits, value) => limits.DerivationsPerSecond = value)
        .Number("Oscore:Limits:MaxRequestsPerPeer", 1, 1_048_576, static limits => limits.MaxRequestsPerPeer,
            static (limits, value) => limits.MaxRequestsPerPeer = value);
}
