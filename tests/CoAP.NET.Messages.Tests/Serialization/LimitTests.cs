using System.IO.Pipelines;

namespace CoAP.NET.Tests.Serialization;

/// <summary>Limits hold by every way in, at the bound and one beyond it.</summary>
public class LimitTests
{
    [Theory]
    [InlineData(100, 100, true)]
    [InlineData(100, 101, false)]
    [InlineData(5000, 5000, true)]
    [InlineData(5000, 5001, false)]
    [InlineData(5000, 90_000, false)]
    [InlineData(70_000, 70_000, true)]
    [InlineData(70_000, 70_001, false)]
    [Rfc("8323-5.3.1-2")]
    public async Task Message_of_the_largest_size_is_read_and_a_larger_one_is_not(int limit, int size, bool isRead)
    {
        CoapSerializerOptions options = new() { MaxMessageSize = limit };
        (CoapMessageSerializer Serializer, bool IsFrame)[] formats =
            [(new CoapDatagramSerializer(options), false), (new CoapStreamSerializer(options), true),
                (new CoapWebSocketSerializer(options), true)];
        foreach ((CoapMessageSerializer serializer, bool isFrame) in formats)
        {
            CoapMessage message = new(CoapCode.Content);
            int payload = size;
            do
            {
                message.Payload = new byte[payload--];
            }
            while (serializer.GetSize(message) > size);

            Assert.Equal(size, serializer.GetSize(message));
            string verdict = await SerializerPaths.ReadEveryWay(serializer, serializer.Serialize(message), isFrame);
            Assert.Equal(isRead ? MessageText.Of(message, isFrame) : $"MessageTooLarge at {limit}", verdict);
        }
    }

    [Fact]
    public async Task Options_up_to_the_limit_are_read_and_one_more_is_not()
    {
        CoapSerializerOptions options = new() { MaxOptions = 5 };
        string five = "b161016201630164d0f6";
        string text = "11:61 11:62 11:63 11:64 270:";
        Assert.Equal($"CON 0.01 7d34 - {text}",
            await SerializerPaths.ReadEveryWay(new CoapDatagramSerializer(options), Wire.Hex($"40017d34{five}"), isFrame: false));
        Assert.Equal($"0.01 - {text}",
            await SerializerPaths.ReadEveryWay(new CoapStreamSerializer(options), Wire.Hex($"a001{five}"), isFrame: true));
        Assert.Equal("TooManyOptions at 14",
            await SerializerPaths.ReadEveryWay(new CoapDatagramSerializer(options), Wire.Hex($"40017d34{five}00"), isFrame: false));
        Assert.Equal("TooManyOptions at 12",
            await SerializerPaths.ReadEveryWay(new CoapStreamSerializer(options), Wire.Hex($"b001{five}00"), isFrame: true));
    }

    [Fact]
    public async Task Default_limit_is_256_options()
    {
        byte[] most = [0x40, 0x01, 0x7d, 0x34, .. new byte[256]];
        CoapMessage message = CoapDatagramSerializer.Default.Deserialize(most.AsSpan());
        Assert.Equal(256, message.Options.Count);
        Assert.Equal("TooManyOptions at 260",
            await SerializerPaths.ReadEveryWay(CoapDatagramSerializer.Default, [.. most, 0], isFrame: false));
    }

    [Fact]
    [Rfc("8974-2.2.2-3")]
    public async Task A_token_above_the_limit_is_an_error_and_stays_readable()
    {
        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { MaxTokenLength = 16 });
        string sixteen = Wire.Hex(Wire.Pattern(16));
        string seventeen = Wire.Hex(Wire.Pattern(17));
        Assert.Equal($"CON 0.01 7d34 {sixteen}",
            await SerializerPaths.ReadEveryWay(serializer, Wire.Hex($"4d017d3403{sixteen}"), isFrame: false));

        byte[] long17 = Wire.Hex($"4d017d3404{seventeen}b161");
        Assert.Equal("TokenTooLong at 0", await SerializerPaths.ReadEveryWay(serializer, long17, isFrame: false));
        Assert.True(CoapDatagramSerializer.TryReadToken(long17, out CoapMessage? head));
        Assert.Equal($"CON 0.01 7d34 {seventeen}", MessageText.Of(head, isFrame: false));
    }

    [Fact]
    public async Task A_token_above_the_limit_is_refused_in_a_stream_before_it_has_arrived()
    {
        CoapStreamSerializer serializer = new(new CoapSerializerOptions { MaxTokenLength = 16 });
        Assert.Equal("TokenTooLong at 0", await SerializerPaths.ReadEveryWay(serializer, Wire.Hex("0d0104"), isFrame: true));
    }

    [Fact]
    [Rfc("8323-5.3.1-2")]
    public async Task A_frame_above_the_limit_is_refused_by_its_header_although_the_peer_continues_to_send()
    {
        Pipe pipe = new();
        await pipe.Writer.WriteAsync(Wire.Hex("f0ffffffff"));
        CoapFormatException exception =
            await Assert.ThrowsAsync<CoapFormatException>(() => CoapStreamSerializer.Default.DeserializeAsync(pipe.Reader).AsTask());
        Assert.Equal((CoapMessageFormatViolation.MessageTooLarge, 1_048_576), (exception.Rule, exception.Position));

        using DribblingStream stream = new([.. Wire.Hex("f0ffffffff45"), .. new byte[100]], 100, isAsync: true);
        await Assert.ThrowsAsync<CoapFormatException>(() => CoapStreamSerializer.Default.DeserializeAsync(stream).AsTask());
        Assert.True(stream.Position <= 6);
    }

    [Fact]
    public async Task Datagram_from_a_stream_is_not_read_beyond_its_limit()
    {
        using DribblingStream stream = new([0x40, 0x01, 0x7d, 0x34, .. new byte[1_000_000]], 50_000, isAsync: true);
        CoapFormatException exception =
            await Assert.ThrowsAsync<CoapFormatException>(() => CoapDatagramSerializer.Default.DeserializeAsync(stream).AsTask());
        Assert.Equal((CoapMessageFormatViolation.MessageTooLarge, 65_535), (exception.Rule, exception.Position));
        Assert.True(stream.Position <= 65_536, $"{stream.Position} bytes were read.");
    }

    [Fact]
    public void Options_of_a_serializer_refuse_changes()
    {
        CoapSerializerOptions options = new() { MaxOptions = 1 };
        CoapDatagramSerializer serializer = new(options);
        Assert.Throws<InvalidOperationException>(() => options.MaxOptions = 100);
        Assert.False(serializer.TryDeserialize(Wire.Hex("40017d340000").AsSpan(), out _, out CoapFormatError error));
        Assert.Equal(CoapMessageFormatViolation.TooManyOptions, error.Rule);
    }

    [Fact]
    public void The_registry_of_a_serializer_creates_its_typed_options()
    {
        byte[] bytes = Wire.Hex("40017d34b161");
        Assert.IsType<UriPathOption>(CoapDatagramSerializer.Default.Deserialize(bytes.AsSpan()).Options.First());
        CoapDatagramSerializer knowing =
            new(new CoapSerializerOptions { Registry = CoapOptionRegistry.Default.Without(OptionNumber.UriPath) });
        Assert.IsType<UnrecognizedOption>(knowing.Deserialize(bytes.AsSpan()).Options.First());
    }
}
