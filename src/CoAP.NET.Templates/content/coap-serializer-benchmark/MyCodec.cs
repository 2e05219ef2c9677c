using System.Buffers.Binary;
using CoAP.NET;
using CoAP.NET.Benchmarks;

/// <summary>An example: the format of RFC 7252 section 3. Put your codec here.</summary>
public sealed class MyCodec : IMatrixCodec<MyMessage>
{
    private const byte PayloadMarker = 0xff;

    /// <inheritdoc/>
    public MyMessage Convert(CoapMessage message) => new(
        (int)message.Type, message.Code.Value, message.MessageId, message.Token.ToArray(),
        [.. message.Options.Select(option => (option.Number, option.ToValueArray()))], message.Payload.ToArray());

    /// <inheritdoc/>
    public MyMessage Deserialize(ReadOnlySpan<byte> source)
    {
        int at = 4 + (source[0] & 15);
        byte[] token = source[4..at].ToArray();
        List<(int Number, byte[] Value)> options = [];
        for (int number = 0; at < source.Length && source[at] != PayloadMarker;)
        {
            byte head = source[at++];
            number += Read(source, ref at, head >> 4);
            int length = Read(source, ref at, head & 15);
            options.Add((number, source.Slice(at, length).ToArray()));
            at += length;
        }

        byte[] payload = at < source.Length ? source[(at + 1)..].ToArray() : [];
        return new((source[0] >> 4) & 3, source[1], BinaryPrimitives.ReadUInt16BigEndian(source[2..]), token, options, payload);
    }

    /// <inheritdoc/>
    public async ValueTask<MyMessage> DeserializeAsync(Stream source)
    {
        using MemoryStream bytes = new();
        await source.CopyToAsync(bytes);
        return Deserialize(bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
    }

    /// <inheritdoc/>
    public byte[] Serialize(MyMessage message)
    {
        using MemoryStream bytes = new();
        bytes.Write([(byte)(0x40 | (message.Type << 4) | message.Token.Length), message.Code, (byte)(message.Id >> 8), (byte)message.Id]);
        bytes.Write(message.Token);
        int last = 0;
        foreach ((int number, byte[] value) in message.Options)
        {
            bytes.WriteByte((byte)((Nibble(number - last) << 4) | Nibble(value.Length)));
            Write(bytes, number - last);
            Write(bytes, value.Length);
            bytes.Write(value);
            last = number;
        }

        if (message.Payload.Length > 0)
        {
            bytes.WriteByte(PayloadMarker);
            bytes.Write(message.Payload);
        }

        return bytes.ToArray();
    }

    /// <inheritdoc/>
    public ValueTask SerializeAsync(Stream destination, MyMessage message) => destination.WriteAsync(Serialize(message));

    // Deltas and lengths from 13 on have one more byte, those from 269 on two (RFC 7252 section 3.1).
    private static int Nibble(int value) => value < 13 ? value : value < 269 ? 13 : 14;

    private static int Read(ReadOnlySpan<byte> source, ref int at, int nibble)
    {
        int size = Math.Max(nibble - 12, 0);
        at += size;
        return size switch { 0 => nibble, 1 => source[at - 1] + 13, _ => BinaryPrimitives.ReadUInt16BigEndian(source[(at - 2)..]) + 269 };
    }

    private static void Write(MemoryStream bytes, int value)
    {
        if (value >= 269)
        {
            bytes.Write([(byte)((value - 269) >> 8), (byte)(value - 269)]);
        }
        else if (value >= 13)
        {
            bytes.WriteByte((byte)(value - 13));
        }
    }
}
