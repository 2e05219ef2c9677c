using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>A datagram on an <see cref="InMemoryNetwork"/>. Never changes; a corrupted one is another object.</summary>
public sealed class NetworkPacket
{
    internal NetworkPacket(long number, TimeSpan time, CoapAddress from, CoapAddress to, byte[] data)
    {
        Number = number;
        Time = time;
        From = from;
        To = to;
        Data = data;
    }

    /// <summary>
    /// Its number among all datagrams that were sent on the network; the first is 1. Copies bear the number of the original.
    /// </summary>
    public long Number { get; }

    /// <summary>When it was sent, as time since the network was made.</summary>
    public TimeSpan Time { get; }

    /// <summary>Who sent it, as others see the address.</summary>
    public CoapAddress From { get; }

    /// <summary>Where it goes; may be a group.</summary>
    public CoapAddress To { get; }

    /// <summary>The bytes.</summary>
    public ReadOnlyMemory<byte> Data { get; }

    /// <summary>What its first bytes say.</summary>
    public MessageHead Head => MessageHead.Read(Data);

    /// <summary>For people: number, addresses, head and size.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"#{Number} {From} > {To} {Head} ({Data.Length} B)";

    internal NetworkPacket With(byte[] data) => new(Number, Time, From, To, data);
}
