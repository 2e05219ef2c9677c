using CoAP.NET.Transports;

namespace CoAP.NET.Hosting;

/// <summary>
/// Takes the place of DTLS in a server whose configuration has no keys for it, and names the missing keys. A call of <c>UseDtls</c>
/// replaces it.
/// </summary>
/// <param name="section">The section of the server.</param>
internal sealed class MissingDtlsKeys(string section) : ICoapTransportFactory
{
    public string Scheme => "coaps";

    private string Message =>
        $"coaps needs keys, and there are none. For pre-shared keys set {section}:Dtls:PskFile or {section}:Dtls:Psk; for a certificate set "
            + $"{section}:Dtls:Certificate. In code, call UseDtls on Endpoint.";

    public void ThrowIfCannotListen() => throw new ArgumentException(Message);

    public CoapTransport Create(CoapUdpTransportOptions sockets) => throw new CoapException(Message);
}
