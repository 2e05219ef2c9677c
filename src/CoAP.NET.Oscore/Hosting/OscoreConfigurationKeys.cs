using CoAP.NET.Hosting.Configuration;
using static System.TimeSpan;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Oscore.Hosting;

/// <summary>The configuration keys of OSCORE for servers and clients.</summary>
internal static class OscoreConfigurationKeys
{
    public const string Section = "Oscore";

    private static readonly ConfigurationValueSyntax s_path = Text("path of a file or directory");
    private static readonly ConfigurationValueSyntax s_directory = Text("path of a directory");

    private static readonly ConfigurationSectionReader<OscoreLimits> s_limits = new("Oscore:Limits:", hasAllSettings: true);

    /// <summary>A server whose requests OSCORE protects.</summary>
    public static ConfigurationValueSyntax Server { get; } = Text("scheme, host and port such as coap://device.example",
        static text => CoapUri.TryParse(text, out CoapUri? uri) ? uri : null);

    public static ConfigurationSectionReader<CoapOscoreServerFileOptions> ServerTable { get; } = new("Oscore:")
    {
        { "Files", s_path },
        { "Store", s_directory },
        { "ResolveTimeout", Time(FromHours(1)) },
        { "MaxUnfragmentedSize", Bytes(0, 16 << 20) },
        { s_limits, static oscore => oscore.Limits },
    };

    public static ConfigurationSectionReader<CoapOscoreClientFileOptions> ClientTable { get; } = new("Oscore:")
    {
        { "File", s_path },
        { "Store", s_directory },
        { "Uri", Server },
    };
}
