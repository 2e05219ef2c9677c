using System.Net;

namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapEndpointOptions"/>, which servers and clients share.</summary>
internal static class EndpointKeys
{
    public static KeyTable<CoapEndpointOptions> Table { get; } = new KeyTable<CoapEndpointOptions>()
        .Choice("Patience", static options => options.Patience, static (options, value) => options.Patience = value)
        .Choice("UdpEngine", static options => options.UdpEngine, static (options, value) => options.UdpEngine = value)
        .Choice("TcpEngine", static options => options.TcpEngine, static (options, value) => options.TcpEngine = value)
        .Text("SharedSecret", SecretText.Kind, static options => options.SharedSecret.IsEmpty ? null : SectionReader.Hidden,
            static (options, value) => options.SharedSecret = SecretText.BytesOf(value))
        .Include(LimitKeys.Table, static options => options.Limits)
        .Include(ParameterKeys.Table, static options => options)
        .Include(StreamKeys.Table, static options => options.Streams);

    /// <summary>A range of addresses, such as <c>192.0.2.0/24</c>.</summary>
    public static ValueKind<IPNetwork> Prefix => new NetworkKind();
}
