using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>What the operator of a server sees of handshakes that failed.</summary>
public sealed class HandshakeLoggerTests
{
    [Fact]
    public async Task A_key_store_that_throws_is_logged_as_an_Error_once_a_minute_with_each_identity()
    {
        LogLines log = new();
        await using SecureEndpoints secure = await new SecureEndpoints(
            server => server.PskStore = new Down(), endpoint => endpoint.LoggerFactory = log).StartAsync();

        Task[] requests = [.. Enumerable.Range(1, 3).Select(number => secure.Client($"meter-{number}").GetAsync($"{secure.Host}/hello"))];
        await Eventually.IsTrueAsync(() => log.Of(2102).Count >= 3);

        (_, LogLevel level, string text, Exception? exception) = Assert.Single(log.Of(2110));
        Assert.Equal(LogLevel.Error, level);
        Assert.IsType<TimeZoneNotFoundException>(exception);
        Assert.StartsWith("CoapDtlsServerOptions.PskStore threw an exception during a handshake with 127.0.0.1:", text,
            Ordinal);
        Assert.All(Enumerable.Range(1, 3), number => Assert.Contains(log.Of(2102), line => line.Level == LogLevel.Information
            && line.Text.Contains(
                $"it claimed the identity 'meter-{number}'. CoapDtlsServerOptions.PskStore threw", Ordinal)));
        Assert.True(secure.Server.Counters[CoapCounter.HandshakeCallbackFailures] >= 3);
        Assert.Equal(secure.Server.Counters[CoapCounter.HandshakesFailed], secure.Server.Counters[CoapCounter.HandshakeCallbackFailures]);
        await secure.DisposeAsync();
        await Task.WhenAll(requests).ContinueWith(_ => { }, TaskScheduler.Default);
    }

    [Theory]
    [InlineData(HandshakeFault.Other, CoapCounter.HandshakesFailedOtherwise)]
    [InlineData(HandshakeFault.TimedOut, CoapCounter.HandshakesTimedOut)]
    [InlineData(HandshakeFault.UnknownIdentity, CoapCounter.HandshakesOfUnknownIdentities)]
    [InlineData(HandshakeFault.WrongKey, CoapCounter.HandshakesWithWrongKeys)]
    [InlineData(HandshakeFault.NothingInCommon, CoapCounter.HandshakesWithNothingInCommon)]
    [InlineData(HandshakeFault.CertificateRefused, CoapCounter.CertificatesRefused)]
    [InlineData(HandshakeFault.NoCertificate, CoapCounter.CertificatesMissing)]
    [InlineData(HandshakeFault.CallbackFailed, CoapCounter.HandshakeCallbackFailures)]
    internal async Task Each_reason_of_a_failed_handshake_has_a_counter_of_its_own(object fault, CoapCounter counter)
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();

        secure.Transport.Engine!.Server!.HandshakeFailed!(
            new FailedClientHandshake(ServerBench.Path(1), "meter-1", new HandshakeFailureReason("why", (HandshakeFault)fault)));

        Assert.Equal((1, 1), (secure.Server.Counters[CoapCounter.HandshakesFailed], secure.Server.Counters[counter]));
    }

    [Fact]
    public async Task An_identity_cannot_inject_lines_into_the_log()
    {
        LogLines log = new();
        await using SecureEndpoints secure = await new SecureEndpoints(
            server => server.PskStore = new Down(), endpoint => endpoint.LoggerFactory = log).StartAsync();

        Task request = secure.Client("meter\r\n\u001b[2Jinfo: all is well").GetAsync($"{secure.Host}/hello");
        await Eventually.IsTrueAsync(() => log.Of(2102).Count > 0);

        Assert.DoesNotContain(log.Of(2102)[0].Text, char.IsControl);
        Assert.Contains("'meter   [2Jinfo: all is well'", log.Of(2102)[0].Text, Ordinal);
        await secure.DisposeAsync();
        await request.ContinueWith(_ => { }, TaskScheduler.Default);
    }

    [Fact]
    public async Task A_resumption_store_that_throws_is_logged_and_counted_and_the_handshake_completes()
    {
        LogLines log = new();
        await using SecureEndpoints secure = await new SecureEndpoints(
            server => server.ResumableIn = new Broken(), endpoint => endpoint.LoggerFactory = log).StartAsync();

        await secure.Client().GetAsync($"{secure.Host}/hello").Says("hello");

        (_, LogLevel level, string text, Exception? exception) = Assert.Single(log.Of(2111));
        Assert.Equal((LogLevel.Error, typeof(TimeZoneNotFoundException)), (level, exception!.GetType()));
        text.Begins("The memory of resumable sessions threw an exception");
        Assert.Equal(1, secure.Server.Counters[CoapCounter.ResumptionStoreFailures]);
    }

    [Fact]
    public async Task Failed_handshakes_are_logged_at_most_twenty_times_a_minute_with_the_number_of_those_left_out()
    {
        const int PerMinute = 20;
        VirtualClock clock = new();
        LogLines log = new();
        await using SecureEndpoints secure = await new SecureEndpoints(endpoint: endpoint =>
        {
            endpoint.LoggerFactory = log;
            endpoint.TimeProvider = clock;
        }).StartAsync();

        Fail(400);
        Assert.Equal(PerMinute, log.Of(2102).Count);
        clock.Advance(FromMinutes(1));
        Fail(2);

        Assert.Equal(PerMinute + 2, log.Of(2102).Count);
        Assert.Contains($" {400 - PerMinute} more were not logged", log.Of(2102)[PerMinute].Text, Ordinal);
        Assert.Contains(" 0 more were not logged", log.Of(2102)[PerMinute + 1].Text, Ordinal);
        Assert.Equal(402, secure.Server.Counters[CoapCounter.HandshakesFailed]);

        void Fail(int count)
        {
            for (int i = 0; i < count; i++)
            {
                secure.Transport.Engine!.Server!.HandshakeFailed!(
                    new FailedClientHandshake(ServerBench.Path(1), "meter-1", new HandshakeFailureReason("why")));
            }
        }
    }

    private sealed class Down : ICoapPskStore
    {
        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
            throw new TimeZoneNotFoundException("down");
    }

    private sealed class Broken : IServerResumptionCache
    {
        public void Add(ReadOnlySpan<byte> id, byte[] state, DateTimeOffset expires) => throw new TimeZoneNotFoundException("down");

        public bool TryTake(ReadOnlySpan<byte> id, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out byte[]? state) =>
            throw new TimeZoneNotFoundException("down");
    }
}
