using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>Creates the <c>coaps</c> transports of an endpoint.</summary>
internal sealed class DtlsTransportFactory(CoapDtlsOptions options) : ICoapTransportFactory
{
    public CoapDtlsOptions Options => options;

    public string Scheme => "coaps";

    public void ThrowIfCannotListen() => DtlsSettings.ThrowIfCannotServe(options);

    public CoapTransport Create(CoapUdpTransportOptions sockets) => new CoapDtlsTransport(options, sockets);
}
