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
        Assert.Contains(failure.Message, refused.Message, StringComparison.Ordinal);
        return failure;
    }
}
