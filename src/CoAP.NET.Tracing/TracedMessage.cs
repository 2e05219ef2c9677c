namespace CoAP.NET.Tracing;

/// <summary>A message between transport and stages.</summary>
/// <param name="Bytes">Its bytes, with a blanked payload unless it is included.</param>
/// <param name="Time">The time, in units of 100 ns since 1970 UTC.</param>
/// <param name="Interface">The number of its interface in the trace, which represents its scheme.</param>
/// <param name="Remote">The peer.</param>
/// <param name="Local">Our address; the wildcard address if the operating system chooses.</param>
/// <param name="IsStream">Whether it is part of a connection.</param>
/// <param name="IsInbound">Whether the peer sent it.</param>
internal readonly record struct TracedMessage(byte[] Bytes, long Time, int Interface, CoapAddress Remote, CoapAddress Local, bool IsStream,
    bool IsInbound);
