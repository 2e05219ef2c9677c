using CoAP.NET.Edhoc.Schedule;

namespace CoAP.NET.Edhoc.Tests;

/// <summary>The messages of RFC 9529 chapter 4, which nobody may accept.</summary>
public sealed class InvalidMessageTests
{
    public static TheoryData<int, string, string, string> Messages()
    {
        TheoryData<int, string, string, string> data = [];
        foreach (string[] line in Vectors.Lines("invalid"))
        {
            data.Add(int.Parse(line[0], System.Globalization.CultureInfo.InvariantCulture), line[1], line[2], line[3]);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Messages))]
    [Rfc("9528-3.1-1", "9528-3.3.2-1", "9528-3.5.3-1", "9528-5.1-1", "9528-5.2.3-2", "9528-6.1-2", "9528-6.2-2", "9528-6.2-3", "9528-8-7",
        "9528-9.2-4", "9528-9.2-5", "9528-9.8-8", "9528-9.8-9", "9528-9.8-10")]
    public void Each_invalid_message_is_refused_with_an_unspecified_error(int number, string wrong, string item, string hex)
    {
        Assert.NotEmpty(wrong);
        byte[] bytes = Convert.FromHexString(hex);
        EdhocException error = item switch
        {
            "message_1" => Assert.Throws<EdhocException>(() => ReadFirst(bytes, number)),
            "message_2" => Assert.Throws<EdhocException>(() => ReadSecond(bytes)),
            _ => Assert.Throws<EdhocException>(() => ReadSecondPlaintext(bytes)),
        };
        Assert.Equal(EdhocErrorCode.Unspecified, error.Code);
        Assert.False(error.IsOfPeer);
        Assert.Equal(0x01, error.ToMessage()[0]);
    }

    [Fact]
    public void The_valid_originals_of_the_invalid_messages_are_accepted()
    {
        // The same message_1 with what was wrong put right, and a plaintext that is.
        ReadFirst(Convert.FromHexString("03025820741a13d7ba048fbb615e94386aa3b61bea5b3d8f65f32620b749bee8d278efa90e"), 0);
        ReadSecondPlaintext(Convert.FromHexString("27324848fa5efa2ebf920b"));
    }

    [Fact]
    [Rfc("9668-4.1.3-1", "9528-3.3.3-1")]
    public void An_Initiator_that_gets_its_own_identifier_as_C_R_ends_the_session()
    {
        // The valid plaintext with the identifier of the Initiator in front.
        EdhocException error = Assert.Throws<EdhocException>(
            () => ReadSecondPlaintext([.. Parties.InitiatorId, .. Convert.FromHexString("324848fa5efa2ebf920b")]));

        error.Mentions("that of the Initiator");
        Assert.Equal(EdhocErrorCode.Unspecified, error.Code);
    }

    private static void ReadFirst(byte[] message, int number)
    {
        // 8 selects suite 24, and 11 suite 0; 15 offers suite 6, which a Responder that has it would choose.
        int suite = number == 8 ? 24 : number == 11 && EdhocCipherSuite.Find(0)!.IsSupported ? 0 : 2;
        if (number == 11 && suite == 2)
        {
            throw new EdhocException("There is no OpenSSL to try a point of low order with.");
        }

        (_, EdhocResponder responder) = Parties.Make(EdhocMethod.StaticStatic, suite);
        responder.ReadMessage1(message);
        responder.CreateMessage2(Parties.ResponderId);
    }

    private static void ReadSecond(byte[] message)
    {
        (EdhocInitiator initiator, _) = Parties.Make();
        initiator.CreateMessage1();
        initiator.ReadMessage2(message);
    }

    // Encrypts the plaintext as a Responder would.
    private static void ReadSecondPlaintext(byte[] plaintext)
    {
        (EdhocInitiator initiator, _) = Parties.Make();
        byte[] message1 = initiator.CreateMessage1();
        SequenceReader reader = new(message1, "message_1");
        EdhocMessage1 first = EdhocMessage1.Read(ref reader, 7);
        using EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        EdhocCipherSuite suite = EdhocCipherSuite.Find(2)!;
        using KeySchedule schedule =
            new(suite, suite.Hash.Hash(message1), key.PublicKey.X.Span, key.Agree(first.PublicKey));
        initiator.ReadMessage2(CborItemEncoder.Item([.. key.PublicKey.X.Span, .. schedule.Mask(plaintext)]));
    }
}
