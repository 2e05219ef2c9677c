namespace CoAP.NET.Tests.Serialization;

/// <summary>
/// The serializers against a second decoder: prefixes, and mutations of valid messages. COAP_TEST_MUTATIONS and COAP_TEST_SEED set how many
/// and which.
/// </summary>
[Rfc("7252-3.1-4")]
public class ReferenceTests
{
    private static readonly int s_mutations = CampaignSetting.Of("COAP_TEST_MUTATIONS", 100_000);
    private static readonly int s_seed = CampaignSetting.Of("COAP_TEST_SEED", 7252);

    private static readonly CoapSerializerOptions s_tight = new() { MaxOptions = 3, MaxTokenLength = 9, MaxMessageSize = 60 };
    private static readonly CoapSerializerOptions s_tightest = new() { MaxOptions = 1, MaxTokenLength = 8, MaxMessageSize = 30 };

    private static readonly CoapDatagramSerializer[] s_datagrams = [CoapDatagramSerializer.Default, new(s_tight), new(s_tightest)];
    private static readonly CoapStreamSerializer[] s_frames = [CoapStreamSerializer.Default, new(s_tight), new(s_tightest)];
    private static readonly CoapWebSocketSerializer[] s_webSockets = [CoapWebSocketSerializer.Default, new(s_tight), new(s_tightest)];

    [Fact]
    public void Every_prefix_of_every_datagram_gets_the_verdict_of_the_reference()
    {
        foreach (byte[] datagram in Vectors.ValidDatagrams())
        {
            for (int length = 0; length <= datagram.Length; length++)
            {
                AssertDatagram(datagram[..length]);
            }
        }
    }

    [Fact]
    public void Every_prefix_of_every_frame_gets_the_verdict_of_the_reference()
    {
        foreach (byte[] frame in Vectors.Bytes(Vectors.Frames).Where(bytes => bytes.Length < 1000))
        {
            for (int length = 0; length <= frame.Length; length++)
            {
                AssertFrame(frame[..length]);
            }
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void Mutated_datagrams_get_the_verdict_of_the_reference()
    {
        Mutator mutator = new([.. Vectors.ValidDatagrams()], s_seed);
        for (int i = 0; i < s_mutations; i++)
        {
            AssertDatagram(mutator.Next());
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void Mutated_frames_get_the_verdict_of_the_reference()
    {
        Mutator mutator = new([.. Vectors.Bytes(Vectors.Frames).Where(bytes => bytes.Length < 1000)], s_seed + 1);
        for (int i = 0; i < s_mutations / 2; i++)
        {
            AssertFrame(mutator.Next());
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void Mutated_WebSocket_messages_get_the_verdict_of_the_reference()
    {
        Mutator mutator = new([.. Vectors.Bytes(Vectors.WebSocketMessages)], s_seed + 6);
        for (int i = 0; i < s_mutations / 5; i++)
        {
            byte[] bytes = mutator.Next();
            AssertVerdict(bytes, ReferenceDecoder.WebSocket(bytes), Verdict(s_webSockets[0], bytes, isFrame: true));
            AssertVerdict(bytes, ReferenceDecoder.WebSocket(bytes, 3, 9, 60), Verdict(s_webSockets[1], bytes, isFrame: true));
            AssertVerdict(bytes, ReferenceDecoder.WebSocket(bytes, 1, 8, 30), Verdict(s_webSockets[2], bytes, isFrame: true));
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task Every_way_to_read_a_mutated_message_gives_the_same_result()
    {
        Mutator datagrams = new([.. Vectors.ValidDatagrams()], s_seed + 2);
        Mutator frames = new([.. Vectors.Bytes(Vectors.Frames).Where(bytes => bytes.Length < 1000)], s_seed + 3);
        for (int i = 0; i < s_mutations / 500; i++)
        {
            byte[] bytes = datagrams.Next();
            Assert.Equal(ReferenceDecoder.Datagram(bytes, 3, 9, 60),
                await SerializerPaths.ReadEveryWay(s_datagrams[1], bytes, isFrame: false));

            // A frame that is followed by more is whole in a stream, so here only what the header says is given.
            bytes = frames.Next();
            string verdict = ReferenceDecoder.Frame(bytes, 3, 9, 60);
            if (!verdict.StartsWith("TrailingBytes", Ordinal))
            {
                Assert.Equal(verdict, await SerializerPaths.ReadEveryWay(s_frames[1], bytes, isFrame: true));
            }
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void Random_bytes_get_the_verdict_of_the_reference()
    {
        Random random = new(s_seed + 4);
        for (int i = 0; i < s_mutations / 4; i++)
        {
            byte[] bytes = new byte[random.Next(40)];
            random.NextBytes(bytes);
            AssertFrame(bytes);
            if (bytes.Length > 0)
            {
                bytes[0] = (byte)(0x40 | (bytes[0] & 0x3f));
            }

            AssertDatagram(bytes);
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void A_message_that_is_read_without_an_error_survives_a_round_trip()
    {
        Mutator mutator = new([.. Vectors.ValidDatagrams()], s_seed + 5);
        int sound = 0;
        for (int i = 0; i < s_mutations / 4; i++)
        {
            byte[] bytes = mutator.Next();
            if (CoapDatagramSerializer.Default.TryDeserialize(bytes.AsSpan(), out CoapMessage? message, out _))
            {
                sound++;
                CoapMessage again = CoapDatagramSerializer.Default.Deserialize(CoapDatagramSerializer.Default.Serialize(message).AsSpan());
                Assert.Equal(MessageText.Of(message, isFrame: false), MessageText.Of(again, isFrame: false));
            }
        }

        Assert.True(sound > s_mutations / 100, $"Only {sound} mutations were sound.");
    }

    private static void AssertDatagram(byte[] bytes)
    {
        AssertVerdict(bytes, ReferenceDecoder.Datagram(bytes), Verdict(s_datagrams[0], bytes, isFrame: false));
        AssertVerdict(bytes, ReferenceDecoder.Datagram(bytes, 3, 9, 60), Verdict(s_datagrams[1], bytes, isFrame: false));
        AssertVerdict(bytes, ReferenceDecoder.Datagram(bytes, 1, 8, 30), Verdict(s_datagrams[2], bytes, isFrame: false));
    }

    private static void AssertFrame(byte[] bytes)
    {
        AssertVerdict(bytes, ReferenceDecoder.Frame(bytes), Verdict(s_frames[0], bytes, isFrame: true));
        AssertVerdict(bytes, ReferenceDecoder.Frame(bytes, 3, 9, 60), Verdict(s_frames[1], bytes, isFrame: true));
        AssertVerdict(bytes, ReferenceDecoder.Frame(bytes, 1, 8, 30), Verdict(s_frames[2], bytes, isFrame: true));
    }

    private static void AssertVerdict(byte[] bytes, string expected, string actual) =>
        Assert.True(expected == actual, $"{Wire.Hex(bytes)}: the reference says {expected}, the serializer {actual}");

    private static string Verdict(CoapMessageSerializer serializer, byte[] bytes, bool isFrame) =>
        serializer.TryDeserialize(bytes.AsSpan(), out CoapMessage? message, out CoapFormatError error)
            ? MessageText.Of(message, isFrame)
            : $"{error.Rule} at {error.Offset}";
}
