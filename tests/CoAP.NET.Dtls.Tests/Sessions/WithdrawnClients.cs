namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Clients that resumed a session, and whose credentials the server accepts no more: the same with each store.</summary>
internal static class WithdrawnClients
{
    /// <summary>A client whose pre-shared key the server has no more, or another one.</summary>
    public static async Task AssertKeyDoesNotResumeAsync(BenchSettings settings, string key)
    {
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1);
        await bench.ConnectAsync(2);
        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);

        // The client still has the old key, so that its full handshake never ends.
        settings.KeyAtServer = Encoding.UTF8.GetBytes(key);
        using CancellationTokenSource end = new();
        Task<DtlsSession> connecting = bench.BeginAsync(3, cancellationToken: end.Token);

        Assert.False(connecting.IsCompleted);
        Assert.Equal((2, 1), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting);
    }

    /// <summary>A client whose certificate the server refuses since.</summary>
    public static async Task AssertCertificateDoesNotResumeAsync(BenchSettings settings)
    {
        bool isRevoked = false;
        Func<X509Certificate2, X509Certificate2Collection, CancellationToken, ValueTask<bool>> trusts = settings.ServerTrusts!;
        settings.ServerTrusts = (leaf, sent, token) => isRevoked ? new(false) : trusts(leaf, sent, token);
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1, "device.example");
        await bench.ConnectAsync(2, "device.example");
        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);

        isRevoked = true;
        using CancellationTokenSource end = new();
        Task<DtlsSession> connecting = bench.BeginAsync(3, "device.example", end.Token);

        Assert.Equal((2, 1), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
        Assert.Equal(HandshakeFault.CertificateRefused, Assert.Single(bench.ServerFailures).End.Fault);
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => connecting);
    }
}
