using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>A message as it was seen on its way between transport and stages.</summary>
/// <param name="Bytes">Its bytes, with the payload blanked unless it is wanted.</param>
/// <param name="Time">When, in units of 100 ns since 1970 UTC.</param>
/// <param name="Interface">The number of its interface in the trace, which stands for its scheme.</param>
/// <param name="Remote">The peer.</param>
/// <param name="Local">Our end; the wildcard when the operating system chooses.</param>
/// <param name="IsStream">Whether it is part of a connection.</param>
/// <param name="IsInbound">Whether it came from the peer.</param>
internal readonly record struct TracedMessage(byte[] Bytes, long Time, int Interface, CoapAddress Remote, CoapAddress Local, bool IsStream,
    bool IsInbound);
