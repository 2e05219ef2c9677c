using System.Net;

namespace CoAP.NET.Cli.Decoding;

/// <summary>A UDP datagram of a capture file.</summary>
/// <param name="Time">The time of the capture.</param>
/// <param name="Source">The sender.</param>
/// <param name="Destination">The receiver.</param>
/// <param name="Data">Its payload; partial if the capture truncated it.</param>
/// <param name="Length">Length of the complete payload in bytes.</param>
internal sealed record CapturedPacket(DateTimeOffset Time, IPEndPoint Source, IPEndPoint Destination, ReadOnlyMemory<byte> Data,
    int Length);
