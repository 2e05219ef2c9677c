namespace CoAP.NET.Peers;

/// <summary>One of the local addresses.</summary>
/// <param name="Local">The address, with the port.</param>
/// <param name="Tag">See <see cref="CoapDatagram.TransportTag"/>.</param>
internal readonly record struct LocalSocketAddress(CoapAddress Local, int Tag);
