using CoAP.NET.Dtls.Handshakes;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>The credentials and checks of handshakes with servers.</summary>
/// <param name="Context">The context that handshakes with the same credentials share.</param>
/// <param name="Certificates">Checks certificates of servers; null: trust none.</param>
internal sealed record ClientHandshakeSettings(SharedHandshakeContext Context, PeerCertificateValidator? Certificates);
