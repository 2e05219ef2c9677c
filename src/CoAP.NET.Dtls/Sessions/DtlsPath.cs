using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>The addresses of a peer and of this end.</summary>
/// <param name="Remote">The peer's address.</param>
/// <param name="Local">This end's address; the wildcard if unknown.</param>
/// <param name="Tag">The socket of the transport below.</param>
/// <param name="Via">
/// The relaying server, in the numbering of its <see cref="ICoapDtlsSteering"/>; 0: directly. It has no meaning in another process, so the
/// server never saves it.
/// </param>
internal readonly record struct DtlsPath(CoapAddress Remote, CoapAddress Local, int Tag, int Via = 0);
