using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>The credentials and checks of handshakes with clients.</summary>
/// <param name="Context">The context that handshakes with the same credentials share.</param>
/// <param name="Validate">Validates certificates of clients; null: trust none.</param>
internal sealed record ServerHandshakeSettings(
    SharedHandshakeContext Context,
    Func<X509Certificate2, X509Certificate2Collection, CancellationToken, ValueTask<bool>>? Validate);
