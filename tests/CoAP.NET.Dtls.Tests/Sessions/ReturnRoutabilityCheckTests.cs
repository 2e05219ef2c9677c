namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Return Routability Checks (RFC 9853).</summary>
public sealed class ReturnRoutabilityCheckTests
{
    private static readonly DtlsPath s_path = new(CoapAddress.FromIPv4(0xC0000201, 5684), default, 0);
    private static readonly DtlsPath s_other = new(CoapAddress.FromIPv4(0xC0000202, 5684), default, 0);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [Rfc("9853-5.3-1")]
    public async Task The_response_to_any_challenge_of_a_check_proves_the_path(int answered)
    {
        (ReturnRoutabilityCheck check, byte[][] challenges) = Begin();
        Assert.Equal(ReturnRoutabilityCheck.MaxChallenges, challenges.Select(Convert.ToHexString).Distinct().Count());
        byte[] answer = new byte[ReturnRoutabilityCheck.MessageLength];
        Assert.True(ReturnRoutabilityCheck.TryWriteAnswer(challenges[answered], isPreferred: true, answer));
        Assert.Equal((byte[])[1, .. challenges[answered][1..]], answer);
        check.OnAnswer(answer, s_path);
        Assert.True(await check.Answer);
    }

    [Fact]
    [Rfc("9853-4-1", "9853-5.4-2")]
    public void A_response_with_another_cookie_or_from_another_path_proves_nothing()
    {
        (ReturnRoutabilityCheck check, byte[][] challenges) = Begin();
        byte[] right = [1, .. challenges[0][1..]];
        for (int bit = 8; bit < 8 * ReturnRoutabilityCheck.MessageLength; bit++)
        {
            byte[] wrong = [.. right];
            wrong[bit / 8] ^= (byte)(1 << (bit % 8));
            check.OnAnswer(wrong, s_path);
        }

        check.OnAnswer(right, s_other);
        check.OnAnswer([0, .. right[1..]], s_path);
        check.OnAnswer([3, .. right[1..]], s_path);
        Assert.False(check.Answer.IsCompleted);
    }

    [Fact]
    [Rfc("9853-5.2-1")]
    public async Task A_path_drop_ends_the_check_without_proof()
    {
        (ReturnRoutabilityCheck check, byte[][] challenges) = Begin();
        byte[] answer = new byte[ReturnRoutabilityCheck.MessageLength];
        Assert.True(ReturnRoutabilityCheck.TryWriteAnswer(challenges[0], isPreferred: false, answer));
        Assert.Equal(2, answer[0]);
        check.OnAnswer(answer, s_other);
        Assert.False(await check.Answer);
    }

    [Fact]
    [Rfc("9853-5.4-1")]
    public async Task A_challenge_is_answered_once_and_at_once()
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1);
        DtlsSession session = bench.Opened.Single();
        ReturnRoutabilityCheck check = new(session.Path);
        int sent = client.Sent.Count;
        Assert.True(session.Challenge(check, CoapRandomSource.Secure));
        bench.Carry();
        Assert.Equal(sent + 1, client.Sent.Count);
        Assert.True(await check.Answer);
    }

    [Fact]
    public void Only_a_challenge_of_the_right_length_is_answered()
    {
        byte[] answer = new byte[ReturnRoutabilityCheck.MessageLength];
        Assert.False(ReturnRoutabilityCheck.TryWriteAnswer(new byte[ReturnRoutabilityCheck.MessageLength - 1], isPreferred: true, answer));
        Assert.False(ReturnRoutabilityCheck.TryWriteAnswer(new byte[ReturnRoutabilityCheck.MessageLength + 1], isPreferred: true, answer));
        Assert.False(ReturnRoutabilityCheck.TryWriteAnswer([1, 2, 3, 4, 5, 6, 7, 8, 9], isPreferred: true, answer));
    }

    private static (ReturnRoutabilityCheck Check, byte[][] Challenges) Begin()
    {
        ReturnRoutabilityCheck check = new(s_path);
        byte[][] challenges = new byte[ReturnRoutabilityCheck.MaxChallenges][];
        for (int i = 0; i < challenges.Length; i++)
        {
            challenges[i] = new byte[ReturnRoutabilityCheck.MessageLength];
            check.WriteChallenge(CoapRandomSource.Secure, challenges[i]);
            Assert.Equal(0, challenges[i][0]);
        }

        return (check, challenges);
    }
}
