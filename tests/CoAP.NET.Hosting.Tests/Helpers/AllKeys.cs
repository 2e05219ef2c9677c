namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>The keys of a server or client with all parts that packages add.</summary>
internal static class AllKeys
{
    public static KeyTable<OfServer> Server { get; } = new KeyTable<OfServer>()
        .Include(ServerKeys.Table, static all => all.Server)
        .Include(DtlsKeys.ServerTable, static all => all.Dtls)
        .Include(OscoreSectionKeys.ServerTable, static all => all.Oscore)
        .Include(EdhocKeys.ServerTable, static all => all.Edhoc);

    public static KeyTable<OfClient> Client { get; } = new KeyTable<OfClient>()
        .Include(ClientKeys.Table, static all => all.Client)
        .Include(DtlsKeys.ClientTable, static all => all.Dtls)
        .Include(OscoreSectionKeys.ClientTable, static all => all.Oscore)
        .Include(EdhocKeys.ClientTable, static all => all.Edhoc);

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
