using CoAP.NET.Composition;
using CoAP.NET.Dtls.Transport;

namespace CoAP.NET.Dtls;

/// <summary>Creates the <c>coaps</c> transports of an endpoint.</summary>
internal sealed class DtlsTransportFactory(CoapDtlsOptions options) : ICoapTransportFactory
{
    public CoapDtlsOptions Options => options;

    /// <summary>Creates a factory with a copy of options.</summary>
    /// <param name="dtls">The options.</param>
    /// <exception cref="ArgumentException">The options contradict each other; the message names what to change.</exception>
    public static DtlsTransportFactory Make(CoapDtlsOptions dtls)
    {
        dtls.Validate();
        DtlsTransportFactory factory = new(dtls.Clone());
        dtls.MakeReadOnly("an endpoint");
        return factory;
    }

    public string Scheme => "coaps";

    public int DefaultPort => 5684;

    public bool IsSecure => true;

    public void ThrowIfCannotListen()
    {
        if (options.Server is null)
        {
            throw new ArgumentException(MissingTransportMessage.KeysToListen);
        }
    }

    public CoapTransport Create(CoapUdpTransportOptions sockets) => new CoapDtlsTransport(options, sockets);
}
