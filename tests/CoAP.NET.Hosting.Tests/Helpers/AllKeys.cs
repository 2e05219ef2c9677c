namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>The keys of a server or client with all parts that packages add.</summary>
internal static class AllKeys
{
    public static KeyTable<OfServer> Server { get; } = new()
    {
        { ServerKeys.Table, static all => all.Server },
        { DtlsKeys.ServerTable, static all => all.Dtls },
        { OscoreSectionKeys.ServerTable, static all => all.Oscore },
        { EdhocKeys.ServerTable, static all => all.Edhoc },
    };

    public static KeyTable<OfClient> Client { get; } = new()
    {
        { ClientKeys.Table, static all => all.Client },
        { DtlsKeys.ClientTable, static all => all.Dtls },
        { OscoreSectionKeys.ClientTable, static all => all.Oscore },
        { EdhocKeys.ClientTable, static all => all.Edhoc },
    };

    internal sealed class OfServer
    {
        public CoapServerOptions Server { get; } = new();

        public CoapDtlsServerFileOptions Dtls { get; } = new();

        public CoapOscoreServerFileOptions Oscore { get; } = new();

        public CoapEdhocServerFileOptions Edhoc { get; } = new();
    }

    internal sealed class OfClient
    {
        public CoapClientOptions Client { get; } = new();

        public CoapDtlsClientFileOptions Dtls { get; } = new();

        public CoapOscoreClientFileOptions Oscore { get; } = new();

        public CoapEdhocClientFileOptions Edhoc { get; } = new();
    }
}
