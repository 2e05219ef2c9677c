using System.Net;

namespace CoAP.NET.Cli.Decoding;

/// <summary>A UDP datagram of a capture file.</summary>
/// <param name="Time">When it was captured.</param>
/// <param name="Source">Who sent it.</param>
/// <param name="Destination">Whom it was sent to.</param>
/// <param name="Data">What it carries; less than all of it when the capture cut it.</param>
/// <param name="Length">How many bytes it carried.</param>
internal sealed record CapturedPacket(DateTimeOffset Time, IPEndPoint Source, IPEndPoint Destination, ReadOnlyMemory<byte> Data,
    int Length);
