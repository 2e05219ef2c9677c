using System.Globalization;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Oscore.Hosting;
using static System.TimeSpan;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Edhoc.Hosting;

/// <summary>The configuration keys of EDHOC for servers and clients.</summary>
internal static class EdhocConfigurationKeys
{
    public const string Section = "Edhoc";

    private static readonly ConfigurationValueSyntax s_path = Text(
        "path of a resource such as /.well-known/edhoc", static text => text is ['/', _, ..] ? text : null);

    // A number. The start of the application checks whether the platform supports the suite.
    private static readonly ConfigurationValueSyntax s_suite = new(
        $"one of {string.Join(", ", EdhocCipherSuite.All.Select(static suite => suite.Number))}",
        static text => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? EdhocCipherSuite.Find(number) : null,
        static suite => ((EdhocCipherSuite)suite).Number.ToString(CultureInfo.InvariantCulture));

    public static ConfigurationSectionReader<CoapEdhocServerFileOptions> ServerTable { get; } = new("Edhoc:")
    {
        { "File", FilePath },
        { "Path", s_path },
        { "Suites", s_suite },
        "ReverseMethod",
        "SendsMessage4",
        "AwaitsMessage4",
        "RequireVerified",
        { "MaxSessions", Number(1, 100_000) },
        { "MaxSessionsPerSource", Number(1, 100_000) },
        { "Timeout", Time(FromHours(1)) },
        { "MaxContexts", Number(1, 10_000_000) },
        { "MaxContextsPerPeer", Number(1, 10_000_000) },
    };

    public static ConfigurationSectionReader<CoapEdhocClientFileOptions> ClientTable { get; } = new("Edhoc:")
    {
        { "File", FilePath },
        { "Uri", OscoreConfigurationKeys.Server },
        { "Peer", Text("identity or certificate name of a server") },
        { "Path", s_path },
        "Method",
        { "Suites", s_suite },
        "CombinesFirstRequest",
        "RequireMessage4",
    };
}
