namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// Options of our end for one cipher suite, with the extended master secret or not at all, and for handshakes as long as a test.
/// </summary>
internal static class OneSuite
{
    private static byte[] Key => Encoding.ASCII.GetBytes(StreamServer.Key);

    /// <summary>A server that knows <see cref="StreamServer.Identity"/>, and that remembers sessions.</summary>
    /// <param name="suite">The suite.</param>
    public static CoapDtlsOptions Server(CoapDtlsCipherSuite suite = CoapDtlsCipherSuite.PskAes128Ccm8) => With(suite, new()
    {
        Server = new() { PskStore = new CoapPskDictionary { { StreamServer.Identity, Key } }, MaxResumableSessions = 10 },
    });

    /// <summary>A client with the same key.</summary>
    /// <param name="suite">The suite.</param>
    public static CoapDtlsOptions Client(CoapDtlsCipherSuite suite = CoapDtlsCipherSuite.PskAes128Ccm8) =>
        With(suite, new() { Client = new() { Psk = new CoapPskCredential(StreamServer.Identity, Key) } });

    /// <summary>Changes other options in the same way.</summary>
    /// <param name="suite">The suite.</param>
    /// <param name="options">The options.</param>
    public static CoapDtlsOptions With(CoapDtlsCipherSuite suite, CoapDtlsOptions options)
    {
        options.CipherSuites.Add(suite);
        options.RequireExtendedMasterSecret = true;
        options.HandshakeTimeout = PeerProcess.HangLimit;
        return options;
    }
}
