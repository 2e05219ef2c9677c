using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Transport;

namespace CoAP.NET.Dtls;

/// <summary>Creates transports of <c>coaps</c>, and reports whether this machine supports them.</summary>
/// <remarks>
/// Handshakes and records are managed code; certificates, curves and AES-GCM are .NET's, which needs OpenSSL 3 or 1.1.1 on Linux. Without
/// it, pre-shared keys with AES-CCM work on processors with AES instructions.
/// </remarks>
public static class CoapDtls
{
    /// <summary>Whether at least pre-shared keys work. An endpoint whose credentials need more says so when it starts.</summary>
    public static bool IsSupported => ProcessorAesCcm.IsSupported || PlatformCryptographyAvailability.IsAvailable;

    /// <summary>Creates a transport of <c>coaps</c> with sockets of its own, for <see cref="CoapEndpoint.AddTransport"/>.</summary>
    /// <param name="options">Credentials and limits; copied.</param>
    /// <param name="sockets">
    /// The addresses to bind and how; null: any address and port, for a client. The transport serves with
    /// <see cref="CoapUdpTransportOptions.IsServer"/>, which needs <see cref="CoapDtlsOptions.Server"/>, and with addresses if that is set.
    /// Otherwise it only sends requests, from these addresses.
    /// </param>
    /// <returns>The transport, not yet started.</returns>
    /// <exception cref="ArgumentException">
    /// The options contradict each other, or do not allow serving; the message names what to change.
    /// </exception>
    /// <remarks>For most endpoints <see cref="CoapDtlsExtensions.UseDtls"/> suffices.</remarks>
    public static CoapTransport CreateTransport(CoapDtlsOptions options, CoapUdpTransportOptions? sockets = null) =>
        new CoapDtlsTransport(options, sockets);

    /// <summary>
    /// Creates a transport of <c>coaps</c> whose records another datagram transport carries, in place of UDP: a radio, a tunnel, an
    /// in-memory network.
    /// </summary>
    /// <param name="options">Credentials and limits; copied. With <see cref="CoapDtlsOptions.Server"/> it serves.</param>
    /// <param name="carrier">
    /// The transport that carries records, not yet started. The new transport owns, starts and disposes it. It has to accept datagrams of
    /// <see cref="CoapDtlsOptions.MaxDatagramSize"/> and the size of a handshake.
    /// </param>
    /// <returns>The transport, not yet started.</returns>
    /// <exception cref="ArgumentException">
    /// The options contradict each other, or do not allow serving; the message names what to change.
    /// </exception>
    /// <remarks>A client has one session per address there: several server names at one address would need further sockets.</remarks>
    public static CoapTransport CreateTransport(CoapDtlsOptions options, CoapDatagramTransport carrier) =>
        CoapDtlsTransport.Over(carrier, options);
}
