using CoAP.NET.Edhoc.Hosting;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Dtls;
using CoAP.NET.Oscore.Hosting;

namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>The keys of a server or client with all parts that packages add.</summary>
internal static class AllKeys
{
    public static ConfigurationSectionReader<OfServer> Server { get; } = new()
    {
        { ServerConfigurationKeys.Table, static all => all.Server },
        { DtlsConfigurationKeys.ServerTable, static all => all.Dtls },
        { OscoreConfigurationKeys.ServerTable, static all => all.Oscore },
        { EdhocConfigurationKeys.ServerTable, static all => all.Edhoc },
    };

    public static ConfigurationSectionReader<OfClient> Client { get; } = new()
    {
        { ClientConfigurationKeys.Table, static all => all.Client },
        { DtlsConfigurationKeys.ClientTable, static all => all.Dtls },
        { OscoreConfigurationKeys.ClientTable, static all => all.Oscore },
        { EdhocConfigurationKeys.ClientTable, static all => all.Edhoc },
    };

    internal sealed class OfServer
    {
        public CoapServerOptions Server { get; } = new();

        public HostedDtlsServerOptions Dtls { get; } = new();

        public CoapOscoreServerFileOptions Oscore { get; } = new();

        public CoapEdhocServerFileOptions Edhoc { get; } = new();
    }

    internal sealed class OfClient
    {
        public CoapClientOptions Client { get; } = new();

        public HostedDtlsClientOptions Dtls { get; } = new();

        public CoapOscoreClientFileOptions Oscore { get; } = new();

        public CoapEdhocClientFileOptions Edhoc { get; } = new();
    }
}
