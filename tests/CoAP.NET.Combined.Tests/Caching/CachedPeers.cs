using CoAP.NET.Caching;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Caching;

/// <summary>Channels and messages for tests of the cache alone.</summary>
internal static class CachedPeers
{
    public static readonly CoapAddress Server = CoapAddress.FromIPv4(0xc0000201, 5683);

    private static readonly CoapShard s_shard = new(0, new MessagingRig().Environment);

    public static CoapChannel Channel(CoapAddress remote, string scheme = "coap", ICoapPeerIdentity? identity = null) =>
        new(s_shard, new SchemeTransport(scheme), 0, remote, default, CoapTransmissionParameters.Default) { Identity = identity };

    public static CacheKey? Key(CoapMessage request, CoapChannel? channel = null, object? owner = null, CoapUri? target = null) =>
        CacheKey.TryCreate(request, CoapOptionRegistry.Default, channel ?? Channel(Server), target, owner ?? s_shard, out CacheKey? key)
            ? key
            : null;

    public static CoapMessage Request(string path, CoapMethod method = CoapMethod.Get)
    {
        CoapMessage message = new(method);
        message.Options.Add(new UriPathOption(path));
        return message;
    }

    public static CoapResponse Response(CoapCode code, string payload = "", uint? maxAge = null, byte? tag = null)
    {
        CoapMessage message = new(code) { Payload = Encoding.UTF8.GetBytes(payload) };
        if (maxAge is { } seconds)
        {
            message.Options.Add(new MaxAgeOption(seconds));
        }

        if (tag is { } value)
        {
            message.Options.Add(new ETagOption([value]));
        }

        return new CoapResponse(message, Server);
    }

    private sealed class SchemeTransport(string scheme) : CoapDatagramTransport
    {
        public override string Scheme => scheme;

        public override IReadOnlyList<CoapAddress> LocalAddresses => [];

        public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken) =>
            ValueTask.CompletedTask;

        public override void Send(CoapDatagram datagram) => datagram.Dispose();

        public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
