using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Between which addresses datagrams go.</summary>
/// <param name="Remote">The peer's address.</param>
/// <param name="Local">Our own; the wildcard when not known.</param>
/// <param name="Tag">By which socket of the transport below.</param>
/// <param name="Via">By way of which other server, as its <see cref="ICoapDtlsSteering"/> numbers them; 0: directly. It means nothing in
/// another process, so it is never kept.</param>
internal readonly record struct DtlsPath(CoapAddress Remote, CoapAddress Local, int Tag, int Via = 0);
