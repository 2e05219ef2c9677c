using CoAP.NET.Errors;

namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Handshakes that give no session, and what is said about them.</summary>
public sealed class ConnectFailureMessageTests
{
    [Theory]
    [InlineData("user", "wrong")]
    [InlineData("nobody", "secretPSK")]
    public async Task A_handshake_timeout_names_a_wrong_key_or_unknown_identity_as_the_likely_cause(string identity, string key)
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Sessions = settings.Sessions with
        {
            SelectPsk = (_, _) =>
            new(new CoapPskCredential(identity, Encoding.ASCII.GetBytes(key)))
        };
        await FailsAsync(settings, CoapDtlsHandshakeFailure.PreSharedKey, $"'{identity}'");
    }

    [Fact]
    public async Task A_client_without_a_required_key_gets_an_error_that_says_so()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Sessions = new DtlsClientSettings();
        await FailsAsync(settings, CoapDtlsHandshakeFailure.NoCredentials, "pre-shared key");
        settings.Sessions = new DtlsClientSettings { SelectPsk = (_, _) => default };
        await FailsAsync(settings, CoapDtlsHandshakeFailure.NoCredentials, "pre-shared key");
    }

    [Fact]
    public async Task A_key_selection_that_throws_ends_the_handshake_with_its_message()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Sessions = new DtlsClientSettings { SelectPsk = (_, _) => throw new InvalidOperationException("no vault") };
        await FailsAsync(settings, CoapDtlsHandshakeFailure.Other, "no vault");
    }

    [Fact]
    public async Task Ends_without_a_common_cipher_suite_fail_with_that_reason_after_a_while()
    {
        BenchSettings settings = BenchSettings.OfPsk(0);
        settings.Client = settings.Client with { Suites = [CipherSuite.All[2]] };
        await FailsAsync(settings, CoapDtlsHandshakeFailure.NothingInCommon, "handshake_failure (40)");
    }

    [Fact]
    public async Task A_port_without_a_listener_ends_the_attempt_at_once()
    {
        List<byte[]> sent = [];
        using ClientBench bench = new(BenchSettings.OfPsk()) { Loses = (_, _, bytes) => Keep(sent, bytes) };
        Task<DtlsSession> task = bench.BeginAsync();
        Assert.False(bench.Client.PortUnreachable(ClientBench.Path(2), sent[0]));
        Assert.True(bench.Client.PortUnreachable(ClientBench.Path(), sent[0]));
        CoapDtlsException failure = await Assert.ThrowsAsync<CoapDtlsException>(() => task);
        Assert.Equal(CoapDtlsHandshakeFailure.PortUnreachable, failure.Reason);
        Assert.Contains("port 5684 of 192.0.2.1", failure.Message, Ordinal);
        Assert.Equal(0, bench.Client.HandshakeCount);

        // Of a session anybody can say that.
        bench.Loses = null;
        DtlsSession session = await bench.ConnectAsync();
        Assert.False(bench.Client.PortUnreachable(ClientBench.Path(), sent[0]));
        Assert.False(session.IsClosed);
    }

    [Fact]
    public async Task A_report_of_an_earlier_datagram_does_not_end_the_attempt()
    {
        List<byte[]> sent = [];
        using ClientBench bench = new(BenchSettings.OfPsk()) { Loses = (_, _, bytes) => Keep(sent, bytes) };
        Task<DtlsSession> first = bench.BeginAsync();
        byte[] earlier = sent[0];
        Assert.True(bench.Client.PortUnreachable(ClientBench.Path(), earlier));
        await Assert.ThrowsAsync<CoapDtlsException>(() => first);
        sent.Clear();

        Task<DtlsSession> second = bench.BeginAsync();

        // A close_notify, a request with and without Connection ID, and a Finished of an earlier session.
        foreach (string start in (string[])["15fefd000100000000000500", "17fefd00010000", "19fefd00010000", "16fefd0001000000000000"])
        {
            Assert.False(bench.Client.PortUnreachable(ClientBench.Path(), Convert.FromHexString(start)));
        }

        Assert.False(bench.Client.PortUnreachable(ClientBench.Path(), earlier));
        Assert.False(second.IsCompleted);
        Assert.True(bench.Client.PortUnreachable(ClientBench.Path(), sent[0].AsSpan(0, 4)));
        await Assert.ThrowsAsync<CoapDtlsException>(() => second);
    }

    [Theory]
    [InlineData(0, "192.0.2.1:5684 within 30 s")]
    [InlineData(1, "asked for a cookie")]
    [InlineData(2, "'user'")]
    public async Task The_error_for_an_absent_or_silent_server_names_the_handshake_step(int answers, string said)
    {
        using ClientBench bench = new(BenchSettings.OfPsk()) { Loses = AllOfServerAfter(answers) };
        CoapDtlsException failure = await bench.FailAsync();
        Assert.Contains(said, failure.Message, Ordinal);
        Assert.Equal(answers == 0, failure.Reason == CoapDtlsHandshakeFailure.NoAnswer);
    }

    [Theory]
    [InlineData(0, CoapConnectPhase.NoAnswer, "No answer from 192.0.2.1:5684 within 5 s")]
    [InlineData(1, CoapConnectPhase.Handshaking, "asked for a cookie and did not answer when it got it, within 5 s")]
    [InlineData(2, CoapConnectPhase.Authenticating, "fell silent once it knew the identity 'user': the pre-shared key")]
    internal async Task Whoever_gives_up_before_the_handshake_does_learns_how_far_it_has_come(int answers, CoapConnectPhase stage,
        string said)
    {
        using ClientBench bench = new(BenchSettings.OfPsk()) { Loses = AllOfServerAfter(answers) };
        using CancellationTokenSource patience = new();
        Task<DtlsSession> task = bench.BeginAsync(serverName: "device.example", cancellationToken: patience.Token);
        bench.Clock.Advance(FromSeconds(5));
        bench.Carry();
        CoapConnectProgress progress = bench.Client.ProgressOf(ClientBench.Path().Remote, "device.example")!;
        Assert.Equal(stage, progress.Stage);
        Assert.Contains(said, progress.Description, Ordinal);
        Assert.Null(bench.Client.ProgressOf(ClientBench.Path().Remote, null));
        Assert.Null(bench.Client.ProgressOf(CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Loopback, 5684)), "device.example"));
        patience.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        Assert.Null(bench.Client.ProgressOf(ClientBench.Path().Remote, "device.example"));
    }

    [Fact]
    public async Task The_error_for_a_peer_that_is_not_a_DTLS_server_says_so()
    {
        using ClientBench bench = new(BenchSettings.OfPsk()) { Loses = (_, toServer, _) => toServer };
        Task<DtlsSession> task = bench.BeginAsync();
        Assert.True(bench.Client.Receive(ClientBench.Incoming(), Convert.FromHexString("16fefd00000000000000ff0002ffff")));
        bench.Clock.Advance(FromSeconds(30));
        bench.Client.Tick();
        CoapDtlsException failure = await Assert.ThrowsAsync<CoapDtlsException>(() => task);
        Assert.Equal(CoapDtlsHandshakeFailure.TimedOut, failure.Reason);
        Assert.Contains("nothing that belongs to a DTLS 1.2 handshake", failure.Message, Ordinal);
    }

    [Fact]
    public async Task A_cancelled_connect_ends_at_once_and_other_waiting_callers_continue()
    {
        using ClientBench bench = new(BenchSettings.OfPsk()) { Loses = (_, _, _) => true };
        using CancellationTokenSource source = new();
        Task<DtlsSession> cancelled = bench.BeginAsync(cancellationToken: source.Token);
        using CancellationTokenSource secondSource = new();
        Task<DtlsSession> second = bench.BeginAsync(cancellationToken: secondSource.Token);
        Task<DtlsSession> third = bench.BeginAsync();
        secondSource.Cancel();
        Assert.Equal(secondSource.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second)).CancellationToken);
        Assert.False(cancelled.IsCompleted);
        bench.Loses = null;
        source.Cancel();
        Assert.Equal(source.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled)).CancellationToken);
        await bench.DriveAsync(() => third.IsCompleted);
        Assert.Equal(await third, Assert.Single(bench.Sink.Opened));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => bench.Client.ConnectAsync(ClientBench.Path(5), null, new CancellationToken(true)));
        Assert.Equal(0, bench.Client.HandshakeCount);
    }

    [Fact]
    public async Task A_handshake_may_be_abandoned_while_it_is_processed()
    {
        // The keys are known in the middle of the last step but one; it is given up there, and the thread goes on.
        using CancellationTokenSource source = new();
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Client = settings.Client with { KeyLog = _ => source.Cancel() };
        using ClientBench bench = new(settings);
        Task<DtlsSession> task = bench.BeginAsync(cancellationToken: source.Token);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        Assert.Empty(bench.Sink.Opened);
        Assert.Equal((0, 0), (bench.Client.SessionCount, bench.Client.HandshakeCount));
    }

    [Fact]
    public async Task Disposing_the_client_ends_its_sessions_and_handshakes()
    {
        ClientBench bench = new(BenchSettings.OfPsk());
        DtlsSession session = await bench.ConnectAsync(1);
        bench.Loses = (_, toServer, bytes) => toServer && bytes[0] == 22;
        Task<DtlsSession> first = bench.BeginAsync(2);
        Task<DtlsSession> second = bench.BeginAsync(2);
        bench.Client.Dispose();
        bench.Carry();
        CoapDtlsException failure = await Assert.ThrowsAsync<CoapDtlsException>(() => first);
        Assert.Equal(CoapDtlsHandshakeFailure.Stopped, failure.Reason);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => second);
        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => bench.Client.ConnectAsync(ClientBench.Path(3), null, CancellationToken.None));
        Assert.Equal((session, DtlsSessionEndReason.Closed), Assert.Single(bench.Sink.Closed));
        Assert.Equal(DtlsSessionEndReason.ClosedByPeer, Assert.Single(bench.ServerSink.Closed).Reason);
        Assert.Equal((0, 0), (bench.Client.SessionCount, bench.Client.HandshakeCount));
        bench.Dispose();
    }

    // By what they say and not by their number: OpenSSL reads the clock of the system, and sends a flight again when the machine is slow,
    // which the server answers again.
    private static Func<int, bool, byte[], bool> AllOfServerAfter(int answers)
    {
        const int Handshake = 22;
        const int MessageType = 13;
        byte[] passes = answers switch
        {
            0 => [],

            // hello_verify_request (RFC 6347 section 4.2.1).
            1 => [3],

            // And the flight from server_hello to server_hello_done.
            _ => [3, 2, 11, 12, 13, 14],
        };
        return (_, toServer, bytes) => !toServer && (bytes[0] != Handshake || !passes.Contains(bytes[MessageType]));
    }

    private static bool Keep(List<byte[]> sent, byte[] bytes)
    {
        sent.Add(bytes);
        return true;
    }

    private static async Task FailsAsync(BenchSettings settings, CoapDtlsHandshakeFailure reason, string said)
    {
        using ClientBench bench = new(settings);
        CoapDtlsException failure = await bench.FailAsync();
        Assert.Contains(said, failure.Message, Ordinal);
        Assert.Equal(reason, failure.Reason);
        Assert.Equal((0, 0), (bench.Client.SessionCount, bench.Client.HandshakeCount));
    }
}
