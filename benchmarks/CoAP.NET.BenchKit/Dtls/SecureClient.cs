using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Bench;

/// <summary>What clients of one kind have in common: how they prove themselves, and by which cipher suite.</summary>
/// <param name="suite">The suite that they offer, by its name in the registry.</param>
/// <param name="withCid">Whether they know of Connection IDs; theirs is empty, as usual for a client.</param>
/// <param name="certificate">What they show when they are asked; null for nothing. They trust any server.</param>
internal sealed class SecureClient(string suite, bool withCid = true, X509Certificate2? certificate = null)
{
    public const string Identity = "device-1";
    public const string Key = "secretPSK-1234567";

    public const string PskCcm8 = "TLS_PSK_WITH_AES_128_CCM_8";
    public const string PskGcm = "TLS_PSK_WITH_AES_128_GCM_SHA256";
    public const string EcdsaCcm8 = "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8";

    private readonly SharedHandshakeContext _context = new(new HandshakeSettings
    {
        IsServer = false,
        Suites = [CipherSuite.All.First(one => one.Name == suite)],
        OwnCidLength = withCid ? 0 : -1,
        Certificate = certificate,
    });

    /// <summary>A handshake that is not begun.</summary>
    public ClientHandshake Open(string identity) =>
        new(_context, [], identity, System.Text.Encoding.ASCII.GetBytes(Key)) { Validate = (_, _, _) => new(true) };
}
