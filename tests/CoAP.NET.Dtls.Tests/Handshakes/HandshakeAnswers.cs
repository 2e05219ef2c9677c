namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>Answers the questions of a handshake whose callbacks complete at once.</summary>
internal static class HandshakeAnswers
{
    public static void Answer(this Handshake handshake)
    {
        ValueTask answered = handshake.AskAsync(CancellationToken.None);
        Assert.True(answered.IsCompletedSuccessfully);
    }
}
