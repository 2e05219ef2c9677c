namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Why requests over DTLS failed.</summary>
internal static class Refusals
{
    /// <summary>Waits for a request that must fail by its handshake.</summary>
    /// <param name="request">The request.</param>
    /// <returns>Why the handshake gave no session.</returns>
    public static async Task<CoapDtlsException> OfAsync(Task request)
    {
        CoapConnectionException refused = await Assert.ThrowsAsync<CoapConnectionException>(() => request.WaitAsync(PeerProcess.HangLimit));
        Assert.Equal(CoapError.HandshakeFailed, refused.Error);
        Exception? cause = refused;
        while (cause is not null and not CoapDtlsException)
        {
            cause = cause.InnerException;
        }

        CoapDtlsException failure = Assert.IsType<CoapDtlsException>(cause);

        // Whoever reads the outermost message reads what to do.
        refused.Message.Mentions(failure.Message);
        return failure;
    }

    /// <summary>
    /// Makes a handshake with a peer that falls silent, which shows why only if it has got as far as its end when its time is over: in a
    /// short time on most machines, and in a long one where that was too short for a busy machine.
    /// </summary>
    /// <param name="attempt">Makes it within a time, and tells whether it showed why.</param>
    public static async Task InTimeAsync(Func<TimeSpan, Task<bool>> attempt)
    {
        foreach (int seconds in (int[])[2, 20, 100])
        {
            if (await attempt(TimeSpan.FromSeconds(seconds)))
            {
                return;
            }
        }

        Assert.Fail("No handshake showed why it got no further.");
    }
}
