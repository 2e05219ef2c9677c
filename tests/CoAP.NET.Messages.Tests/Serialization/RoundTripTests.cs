using FsCheck;
using FsCheck.Fluent;

namespace CoAP.NET.Tests.Serialization;

/// <summary>Random messages come back as they were. COAP_TEST_SEED and COAP_TEST_ROUNDTRIPS set which and how many.</summary>
[Rfc("7252-3-4", "7252-3.1-1", "8323-3.2-1", "8974-2.1-1")]
public class RoundTripTests
{
    private static readonly Config s_config = Config.QuickThrowOnFailure
        .WithMaxTest(CampaignSetting.Of("COAP_TEST_ROUNDTRIPS", 150))
        .WithReplay((ulong)CampaignSetting.Of("COAP_TEST_SEED", 7252), 7253UL);

    private static readonly Gen<byte[]> s_token = Bytes(Gen.OneOf(Gen.Choose(0, 8), Gen.Choose(0, 20), Gen.Choose(0, 300)));

    private static readonly Gen<(int Number, byte[] Value)> s_option =
        from number in Gen.OneOf(Gen.Choose(0, 60), Gen.Choose(0, 300), Gen.Choose(0, 65_535))
        from value in Bytes(Gen.OneOf(Gen.Choose(0, 4), Gen.Choose(0, 15), Gen.Choose(0, 300)))
        select (number, value);

    private static readonly Gen<CoapMessage> s_message =
        from type in Gen.Choose(0, 3)
        from code in Gen.Choose(1, 255).Where(value => !new CoapCode((byte)value).IsReserved)
        from id in Gen.Choose(0, 65_535)
        from token in s_token
        from count in Gen.OneOf(Gen.Choose(0, 5), Gen.Choose(0, 40))
        from options in s_option.ListOf(count)
        from payload in Bytes(Gen.OneOf(Gen.Constant(0), Gen.Choose(0, 100), Gen.Choose(0, 9000)))
        select Make(type, code, id, token, options, payload);

    [Fact]
    [Trait("Category", "Campaign")]
    public void Datagrams_survive_a_round_trip() => Check(CoapDatagramSerializer.Default, isFrame: false);

    [Fact]
    public void Frames_come_back_as_they_were() => Check(CoapStreamSerializer.Default, isFrame: true);

    [Fact]
    public void WebSocket_messages_come_back_as_they_were() => Check(CoapWebSocketSerializer.Default, isFrame: true);

    private static void Check(CoapMessageSerializer serializer, bool isFrame)
    {
        int turn = 0;
        Prop.ForAll(s_message.ToArbitrary(), message =>
        {
            // Each message takes another way out and in.
            string expected = MessageText.Of(message, isFrame);
            (string writer,
                Func<ICoapMessageSerializer, CoapMessage, ValueTask<byte[]>> write) =
                SerializerPaths.Writers[turn % SerializerPaths.Writers.Count];
            (string reader,
                Func<ICoapMessageSerializer, byte[], ValueTask<CoapMessage>> read) =
                SerializerPaths.Readers[turn++ % SerializerPaths.Readers.Count];
            byte[] bytes = write(serializer, message).AsTask().GetAwaiter().GetResult();
            string actual = MessageText.Of(read(serializer, bytes).AsTask().GetAwaiter().GetResult(), isFrame);
            return actual == expected && serializer.GetSize(message) == bytes.Length
                ? true.ToProperty()
                : false.Label($"{writer}, then {reader}: {actual}");
        }).Check(s_config);
    }

    private static CoapMessage Make(int type, int code, int id, byte[] token, IEnumerable<(int Number, byte[] Value)> options,
        byte[] payload)
    {
        CoapMessage message = new(new CoapCode((byte)code))
        {
            Type = (CoapMessageType)type,
            MessageId = (ushort)id,
            Token = new CoapToken(token),
            Payload = payload
        };
        foreach ((int number, byte[] value) in options)
        {
            message.Options.Add(number, value);
        }

        return message;
    }

    private static Gen<byte[]> Bytes(Gen<int> length) =>
        from count in length
        from seed in Gen.Choose(0, int.MaxValue)
        select Pattern(count, seed);

    // A choice for each byte takes longer than all that is tested.
    private static byte[] Pattern(int count, int seed)
    {
        byte[] bytes = new byte[count];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }
}
