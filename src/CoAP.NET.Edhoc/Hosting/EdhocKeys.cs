using System.Globalization;
using CoAP.NET.Edhoc;

namespace CoAP.NET.Hosting;

/// <summary>The keys of EDHOC.</summary>
internal static class EdhocKeys
{
    /// <summary>The section of EDHOC.</summary>
    public const string Section = "Edhoc";

    private static readonly TextKind<string> s_file = new("path of a file", static text => text);
    private static readonly TextKind<string> s_path = new(
        "path of a resource such as /.well-known/edhoc", static text => text is ['/', _, ..] ? text : null);

    private static readonly TextKind<string> s_peer = new(
        "identity or certificate name of a server", static text => text.Length > 0 ? text : null);

    /// <summary>The keys of servers.</summary>
    public static KeyTable<CoapEdhocServerFileOptions> ServerTable { get; } = new KeyTable<CoapEdhocServerFileOptions>()
        .Text("Edhoc:File", s_file, static edhoc => edhoc.File, static (edhoc, value) => edhoc.File = value)
        .Text("Edhoc:Path", s_path, static edhoc => edhoc.Path, static (edhoc, value) => edhoc.Path = value)
        .List("Edhoc:Suites", new EdhocSuiteKind(), static edhoc => edhoc.Suites)
        .OptionalChoice<EdhocMethod>("Edhoc:ReverseMethod", static edhoc => edhoc.ReverseMethod,
            static (edhoc, value) => edhoc.ReverseMethod = value)
        .Switch("Edhoc:SendsMessage4", static edhoc => edhoc.SendsMessage4, static (edhoc, value) => edhoc.SendsMessage4 = value)
        .Switch("Edhoc:AwaitsMessage4", static edhoc => edhoc.AwaitsMessage4, static (edhoc, value) => edhoc.AwaitsMessage4 = value)
        .Switch("Edhoc:RequireVerified", static edhoc => edhoc.RequireVerified, static (edhoc, value) => edhoc.RequireVerified = value)
        .Number("Edhoc:MaxSessions", 1, 100_000, static edhoc => edhoc.MaxSessions, static (edhoc, value) => edhoc.MaxSessions = value)
        .Number("Edhoc:MaxSessionsPerSource", 1, 100_000, static edhoc => edhoc.MaxSessionsPerSource,
            static (edhoc, value) => edhoc.MaxSessionsPerSource = value)
        .Time("Edhoc:Timeout", new TimeKind(TimeSpan.Zero, TimeSpan.FromHours(1), isAbove: true), static edhoc => edhoc.Timeout,
            static (edhoc, value) => edhoc.Timeout = value)
        .Number("Edhoc:MaxContexts", 1, 10_000_000, static edhoc => edhoc.MaxContexts, static (edhoc, value) => edhoc.MaxContexts = value)
        .Number("Edhoc:MaxContextsPerPeer", 1, 10_000_000, static edhoc => edhoc.MaxContextsPerPeer,
            static (edhoc, value) => edhoc.MaxContextsPerPeer = value);

    /// <summary>The keys of clients.</summary>
    public static KeyTable<CoapEdhocClientFileOptions> ClientTable { get; } = new KeyTable<CoapEdhocClientFileOptions>()
        .Text("Edhoc:File", s_file, static edhoc => edhoc.File, static (edhoc, value) => edhoc.File = value)
        .Text("Edhoc:Uri", OscoreSectionKeys.Server, static edhoc => edhoc.Uri, static (edhoc, value) => edhoc.Uri = value)
        .Text("Edhoc:Peer", s_peer, static edhoc => edhoc.Peer, static (edhoc, value) => edhoc.Peer = value)
        .Text("Edhoc:Path", s_path, static edhoc => edhoc.Path, static (edhoc, value) => edhoc.Path = value)
        .OptionalChoice<EdhocMethod>("Edhoc:Method", static edhoc => edhoc.Method, static (edhoc, value) => edhoc.Method = value)
        .List("Edhoc:Suites", new EdhocSuiteKind(), static edhoc => edhoc.Suites)
        .Switch("Edhoc:CombinesFirstRequest", static edhoc => edhoc.CombinesFirstRequest,
            static (edhoc, value) => edhoc.CombinesFirstRequest = value)
        .Switch("Edhoc:RequireMessage4", static edhoc => edhoc.RequireMessage4, static (edhoc, value) => edhoc.RequireMessage4 = value);
}

/// <summary>A cipher suite of EDHOC, by its number. The start of the application checks whether the platform supports it.</summary>
internal sealed class EdhocSuiteKind()
    : ValueKind<EdhocCipherSuite>($"one of {string.Join(", ", EdhocCipherSuite.All.Select(static suite => suite.Number))}")
{
    public override bool TryParse(string text, out EdhocCipherSuite value)
    {
        value = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? EdhocCipherSuite.Find(number)! : null!;
        return value is not null;
    }

    public override string Format(EdhocCipherSuite value) => value.Number.ToString(CultureInfo.InvariantCulture);
}
