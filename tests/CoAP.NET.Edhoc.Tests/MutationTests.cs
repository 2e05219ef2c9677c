using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Edhoc.Schedule;

namespace CoAP.NET.Edhoc.Tests;

/// <summary>
/// Messages, plaintexts and credentials with bytes changed, inserted and cut off: all of it is refused by an <see
/// cref="EdhocException"/> or
/// understood, and nothing else happens. COAP_TEST_CAMPAIGN multiplies how many there are, COAP_TEST_SEED changes which.
/// </summary>
public sealed class MutationTests
{
    private static readonly byte[] s_words = [0x00, 0x17, 0x18, 0x19, 0x1b, 0x20, 0x37, 0x40, 0x58, 0x5b, 0x60, 0x7f, 0x80, 0x9f, 0xa0,
        0xa1, 0xbf, 0xc1, 0xdb, 0xf5, 0xf6, 0xfb, 0xff];

    [Fact]
    [Rfc("9528-9.8-8")]
    public void Mutated_messages_are_accepted_or_refused_with_a_valid_error_message()
    {
        VirtualRandom random = new((ulong)CampaignSetting.Of("COAP_TEST_SEED", 20_260));
        Vectors trace = new("trace1");
        Vectors other = new("trace2");
        (byte[] Input, Action<byte[]> Read)[] targets =
        [
            (other["message_1 (second time)", "message_1"], ReadFirst),
            (other["message_2", "message_2"], ReadSecond),
            (other["message_2", "PLAINTEXT_2"], ReadPlaintext),
            (trace["message_2", "PLAINTEXT_2"], ReadPlaintext),
            ([0x02, 0x82, 0x02, 0x03], bytes => EdhocException.OfPeer(bytes)),
            ([0x01, 0x63, 0x61, 0x62, 0x63], bytes => EdhocException.OfPeer(bytes)),
            (trace["message_2", "ID_CRED_R"], bytes => EdhocCredentialId.Read(bytes)),
            (other["message_2", "CRED_R"], bytes => EdhocCredential.OfCcs(bytes)),
            (trace["message_2", "CRED_R"], bytes => EdhocCredential.OfCertificate(bytes)),
            ([0xf5, .. other["message_3", "message_3"]], bytes => RequestPayload.Read(bytes, out _)),
            (other["message_3", "message_3"], bytes => CombinedRequestPayload.Read(bytes, out _)),
        ];
        int rounds = 60 * CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1);
        foreach ((byte[] input, Action<byte[]> read) in targets)
        {
            for (int i = 0; i < rounds; i++)
            {
                byte[] mutated = Mutate(input, random);
                try
                {
                    read(mutated);
                }
                catch (EdhocException exception)
                {
                    // What the peer is told is a bounded error message that can be read.
                    Assert.InRange(exception.ToMessage().Length, 1, 400);
                    Assert.True(EdhocException.OfPeer(exception.ToMessage()).IsOfPeer);
                }
            }
        }
    }

    private static byte[] Mutate(byte[] input, VirtualRandom random)
    {
        List<byte> bytes = [.. input];
        int changes = 1 + (int)(random.NextUInt64() % 3);
        for (int i = 0; i < changes && bytes.Count > 0; i++)
        {
            int at = (int)(random.NextUInt64() % (ulong)bytes.Count);
            byte word = s_words[random.NextUInt64() % (ulong)s_words.Length];
            switch (random.NextUInt64() % 5)
            {
                case 0:
                    bytes[at] ^= (byte)(1 << (int)(random.NextUInt64() % 8));
                    break;
                case 1:
                    bytes[at] = word;
                    break;
                case 2:
                    bytes.Insert(at, word);
                    break;
                case 3:
                    bytes.RemoveRange(at, bytes.Count - at);
                    break;
                default:
                    bytes.AddRange(bytes.GetRange(at, Math.Min(8, bytes.Count - at)));
                    break;
            }
        }

        return [.. bytes];
    }

    private static void ReadFirst(byte[] message)
    {
        (_, EdhocResponder responder) = Parties.Make();
        responder.ReadMessage1(message);
        responder.CreateMessage2(Parties.ResponderId);
    }

    private static void ReadSecond(byte[] message)
    {
        (EdhocInitiator initiator, _) = Parties.Make();
        initiator.CreateMessage1();
        initiator.ReadMessage2(message);
    }

    private static void ReadPlaintext(byte[] plaintext)
    {
        SequenceReader reader = new(plaintext, "PLAINTEXT_2");
        reader.ReadIdentifier("C_R");
        EdhocPlaintextProcessor.Read(
            ref reader, plaintext, EdhocRole.Responder, EdhocMethod.StaticStatic, EdhocCipherSuite.Find(2)!, new EdhocSettings());
    }
}
