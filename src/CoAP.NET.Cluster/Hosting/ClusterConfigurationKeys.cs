using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Hosting.Configuration;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>The configuration keys of a cluster's section.</summary>
internal static class ClusterConfigurationKeys
{
    private static readonly ConfigurationSectionReader<CoapSlotMoveOptions> s_moves = new("Moves:", hasAllSettings: true);

    private static readonly ConfigurationSectionReader<CoapDeviceOptions> s_devices = new("Devices:", hasAllSettings: true);

    private static readonly ConfigurationSectionReader<CoapClusterObserverOptions> s_observers = new("Observers:", hasAllSettings: true);

    private static readonly ConfigurationSectionReader<CoapRecordWriterOptions> s_writer = new("Writer:", hasAllSettings: true);

    private static readonly ConfigurationSectionReader<CoapClusterOptions> s_options = new()
    {
        "Lease",
        { s_moves, static options => options.Moves },
        { s_devices, static options => options.Devices },
        { s_observers, static options => options.Observers },
        { s_writer, static options => options.Writer },
    };

    public static ConfigurationSectionReader<ClusterSettings> Table { get; } = new()
    {
        { "SecretFile", FilePath },
        { "Secret", ClusterSecretText.Syntax },
        { s_options, static settings => settings.Options },
        "AllowUnknownKeys",
    };
}
