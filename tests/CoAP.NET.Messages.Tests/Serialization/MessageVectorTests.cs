namespace CoAP.NET.Tests.Serialization;

/// <summary>Known messages, in both directions, by every way in and out.</summary>
public class MessageVectorTests
{
    // The longest token alone is more than a UDP datagram holds.
    private static readonly CoapDatagramSerializer s_datagrams = new(new CoapSerializerOptions { MaxMessageSize = 100_000 });

    [Theory]
    [MemberData(nameof(Vectors.Datagrams), MemberType = typeof(Vectors))]
    [Rfc("7252-3-1", "7252-3-4", "7252-3.1-5", "8974-2.1-1")]
    public async Task Datagram_is_read_the_same_every_way(string id, string hex, string text)
    {
        _ = id;
        Assert.Equal(MessageText.Canonical(text), await SerializerPaths.ReadEveryWay(s_datagrams, Wire.Hex(hex), isFrame: false));
    }

    [Theory]
    [MemberData(nameof(Vectors.Datagrams), MemberType = typeof(Vectors))]
    [Rfc("7252-3-1", "7252-3-3", "7252-3-4", "7252-3.1-1", "8974-2.1-1")]
    public async Task Datagram_is_written_the_same_every_way(string id, string hex, string text)
    {
        await AssertWritten(s_datagrams, id, hex, MessageText.Parse(text, isFrame: false));
    }

    [Theory]
    [MemberData(nameof(Vectors.Frames), MemberType = typeof(Vectors))]
    [Rfc("8323-3.2-1", "8974-2.1-1")]
    public async Task Frame_is_read_the_same_every_way(string id, string hex, string text)
    {
        _ = id;
        Assert.Equal(MessageText.Canonical(text),
            await SerializerPaths.ReadEveryWay(CoapStreamSerializer.Default, Wire.Hex(hex), isFrame: true));
    }

    [Theory]
    [MemberData(nameof(Vectors.Frames), MemberType = typeof(Vectors))]
    [Rfc("8323-3.2-1", "8974-2.1-1")]
    public async Task Frame_is_written_the_same_every_way(string id, string hex, string text)
    {
        await AssertWritten(CoapStreamSerializer.Default, id, hex, MessageText.Parse(text, isFrame: true));
    }

    [Theory]
    [MemberData(nameof(Vectors.WebSocketMessages), MemberType = typeof(Vectors))]
    [Rfc("8323-4.2-1")]
    public async Task WebSocket_message_is_read_the_same_every_way(string id, string hex, string text)
    {
        _ = id;
        Assert.Equal(MessageText.Canonical(text),
            await SerializerPaths.ReadEveryWay(CoapWebSocketSerializer.Default, Wire.Hex(hex), isFrame: true));
    }

    [Theory]
    [MemberData(nameof(Vectors.WebSocketMessages), MemberType = typeof(Vectors))]
    [Rfc("8323-4.2-1")]
    public async Task WebSocket_message_is_written_the_same_every_way(string id, string hex, string text)
    {
        await AssertWritten(CoapWebSocketSerializer.Default, id, hex, MessageText.Parse(text, isFrame: true));
    }

    [Fact]
    public void A_message_that_was_read_is_written_with_the_same_bytes()
    {
        foreach (byte[] bytes in Vectors.Bytes(Vectors.Datagrams))
        {
            Assert.Equal(Wire.Hex(bytes), Wire.Hex(s_datagrams.Serialize(s_datagrams.Deserialize(bytes.AsMemory()))));
        }
    }

    [Theory]
    [MemberData(nameof(Vectors.OptionBlocks), MemberType = typeof(Vectors))]
    [Rfc("7252-3.1-1", "7252-3.1-5", "7252-3.2-1", "7252-3.2-2")]
    public async Task Option_block_is_read_and_written_in_both_formats(string id, string hex, string options)
    {
        string datagram = $"40017d34{hex}";
        Assert.Equal(MessageText.Canonical($"CON 0.01 7d34 - {options}"),
            await SerializerPaths.ReadEveryWay(s_datagrams, Wire.Hex(datagram), isFrame: false));
        await AssertWritten(s_datagrams, id, datagram, MessageText.Parse($"CON 0.01 7d34 - {options}", isFrame: false));

        string webSocket = $"0001{hex}";
        Assert.Equal(MessageText.Canonical($"0.01 - {options}"),
            await SerializerPaths.ReadEveryWay(CoapWebSocketSerializer.Default, Wire.Hex(webSocket), isFrame: true));
        await AssertWritten(CoapWebSocketSerializer.Default, id, webSocket, MessageText.Parse($"0.01 - {options}", isFrame: true));
    }

    [Theory]
    [MemberData(nameof(Vectors.OptionLengths), MemberType = typeof(Vectors))]
    [Rfc("7252-3.1-5")]
    public async Task Delta_and_length_are_extended_at_their_boundaries(string id, int number, int length, string header)
    {
        string value = Wire.Hex(Wire.Pattern(length));
        Assert.Equal($"CON 0.01 7d34 - {number}:{value}",
            await SerializerPaths.ReadEveryWay(s_datagrams, Wire.Hex($"40017d34{header}{value}"), isFrame: false));
        await AssertWritten(s_datagrams, id, $"40017d34{header}{value}",
            MessageText.Parse($"CON 0.01 7d34 - {number}:{value}", isFrame: false));
    }

    [Fact]
    [Rfc("7252-3.1-1")]
    public void Options_are_written_in_order_of_number_and_repeated_options_in_order_of_insertion()
    {
        CoapMessage message = new(CoapCode.Get) { MessageId = 0x7d34 };
        message.Options.Add(15, "b=2"u8).Add(11, "x"u8).Add(15, "a=1"u8).Add(3, "h"u8);
        Assert.Equal("40017d343168817843623d3203613d31", Wire.Hex(CoapDatagramSerializer.Default.Serialize(message)));
    }

    [Fact]
    [Rfc("7252-3-3")]
    public void Empty_payload_has_no_marker()
    {
        CoapMessage message = new(CoapCode.Put) { MessageId = 1, Payload = Array.Empty<byte>() };
        Assert.Equal("40030001", Wire.Hex(CoapDatagramSerializer.Default.Serialize(message)));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Every_code_and_type_that_is_not_reserved_survives_a_round_trip(int type)
    {
        for (int value = 1; value < 256; value++)
        {
            CoapMessage message = new(new CoapCode((byte)value)) { Type = (CoapMessageType)type, MessageId = 0xfffe };
            if (message.Code.IsReserved)
            {
                Assert.Throws<ArgumentException>(() => CoapDatagramSerializer.Default.Serialize(message));
                continue;
            }

            byte[] bytes = CoapDatagramSerializer.Default.Serialize(message);
            Assert.Equal($"{0x40 | (type << 4):x2}{value:x2}fffe", Wire.Hex(bytes));
            Assert.Equal(MessageText.Of(message, isFrame: false),
                MessageText.Of(CoapDatagramSerializer.Default.Deserialize(bytes.AsSpan()), isFrame: false));
        }
    }

    private static async Task AssertWritten(ICoapMessageSerializer serializer, string id, string hex, CoapMessage message)
    {
        byte[] expected = Wire.Hex(hex);
        foreach ((string name, Func<ICoapMessageSerializer, CoapMessage, ValueTask<byte[]>> write) in SerializerPaths.Writers)
        {
            byte[] written = await write(serializer, message);
            if (!written.AsSpan().SequenceEqual(expected))
            {
                Assert.Fail($"{id}, {name}: {Wire.Hex(written.AsSpan(0, Math.Min(100, written.Length)))}");
            }
        }
    }
}
