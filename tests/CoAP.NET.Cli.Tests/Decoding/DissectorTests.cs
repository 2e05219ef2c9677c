using CoAP.NET.Cli.Decoding;

namespace CoAP.NET.Cli.Tests.Decoding;

/// <summary>Whatever bytes come: every one of them belongs to one field, and the verdict is that of the library.</summary>
public sealed class DissectorTests
{
    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData("udp")]
    [InlineData("tcp")]
    [InlineData("ws")]
    public void The_dissected_fields_cover_every_byte_of_random_and_mutated_messages(string name)
    {
        WireFormat format = name switch
        {
            "udp" => WireFormat.Datagram,
            "tcp" => WireFormat.Stream,
            _ => WireFormat.WebSocket,
        };
        int count = CampaignSetting.Of("COAP_TEST_DECODE", 3000);
        int sound = 0;
        for (int seed = 0; seed < count; seed++)
        {
#pragma warning disable RS0030 // A seeded sequence: the same in each run.
            Random random = new(seed);
#pragma warning restore RS0030
            byte[] bytes = Mutate(Serialize(MakeMessage(random), format), random);
            DecodedMessage message = MessageDissector.Dissect(bytes, format);
            using StringWriter text = new();
            FieldExplainer.Write(message, text);

            int at = 0;
            foreach (DecodedField field in message.Fields)
            {
                Assert.True(field.Offset == at && field.Length >= 0, $"seed {seed}: a field at {field.Offset}, expected at {at}\n{text}");
                at += field.Length;
            }

            Assert.True(at == bytes.Length, $"seed {seed}: {bytes.Length - at} bytes are not told of\n{text}");
            CoapMessageSerializer serializer = format switch
            {
                WireFormat.Datagram => CoapDatagramSerializer.Default,
                WireFormat.Stream => CoapStreamSerializer.Default,
                _ => CoapWebSocketSerializer.Default,
            };
            bool isRead = serializer.TryDeserialize(bytes, out CoapMessage? read, out CoapFormatError error);
            if (error.Rule == CoapMessageFormatViolation.MessageTooLarge)
            {
                // A limit of the receiver, which a decoder does not have.
                continue;
            }

            Assert.True(isRead == message.Fault is null && (isRead || error.Offset == message.Fault!.Offset),
                $"seed {seed}: {error} and {message.Fault}");
            if (isRead)
            {
                sound++;
                Assert.Equal(read!.Options.Count, message.Options.Count);
                Assert.Equal(read.Payload.ToArray(), message.Payload.ToArray());
                Assert.Equal(read.Token.ToString(), new CoapToken(message.Token).ToString());
            }
        }

        Assert.InRange(sound, count / 10, count);
    }

    private static byte[] Serialize(CoapMessage message, WireFormat format)
    {
        CoapMessageSerializer serializer = format switch
        {
            WireFormat.Datagram => CoapDatagramSerializer.Default,
            WireFormat.Stream => CoapStreamSerializer.Default,
            _ => CoapWebSocketSerializer.Default,
        };
        return serializer.Serialize(message);
    }

    private static CoapMessage MakeMessage(Random random)
    {
        byte[] token = new byte[random.Next(5) == 0 ? random.Next(9, 400) : random.Next(9)];
        random.NextBytes(token);
        CoapMessage message = new((CoapCode[])[CoapCode.Get, CoapCode.Post, CoapCode.Content, CoapCode.NotFound] is var codes
            ? codes[random.Next(codes.Length)]
            : default)
        {
            Type = (CoapMessageType)random.Next(4),
            MessageId = (ushort)random.Next(65536),
            Token = new CoapToken(token),
        };
        int[] numbers = [OptionNumber.UriPath, OptionNumber.ContentFormat, OptionNumber.Block2, OptionNumber.Size1, OptionNumber.RequestTag,
            65000];
        for (int i = random.Next(6); i > 0; i--)
        {
            byte[] value = new byte[random.Next(6) == 0 ? random.Next(300) : random.Next(4)];
            random.NextBytes(value);
            message.Options.Add(numbers[random.Next(numbers.Length)], value);
        }

        byte[] payload = new byte[random.Next(2) * random.Next(100)];
        random.NextBytes(payload);
        message.Payload = payload;
        return message;
    }

    private static byte[] Mutate(byte[] bytes, Random random)
    {
        switch (random.Next(4))
        {
            case 0:
                return bytes;
            case 1:
                return bytes[..random.Next(bytes.Length + 1)];
            case 2:
                bytes[random.Next(Math.Min(bytes.Length, 20))] = (byte)random.Next(256);
                return bytes;
            default:
                bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                return bytes;
        }
    }
}
