using CoAP.NET.Execution;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Cookies of several servers with one secret, and of one before and after a restart.</summary>
public sealed class SharedCookieTests
{
    private static readonly byte[] s_secret = [.. Enumerable.Range(1, 32).Select(number => (byte)number)];
    private static readonly DateTimeOffset s_start = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);

    [Theory]
    [InlineData(-60)]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(60)]
    public void A_cookie_is_valid_at_a_server_whose_clock_differs_for_at_least_a_minute(int ahead)
    {
        for (int second = 0; second < 120; second += 7)
        {
            VirtualClock clock = new(s_start + FromSeconds(second));
            using CookieIssuer one = Mint(clock);
            VirtualClock others = new(s_start + FromSeconds(second + ahead));
            using CookieIssuer other = Mint(others);
            byte[] hello = CookieTests.WithCookie(one);
            Assert.True(CookieTests.Accepts(other, hello, CookieTests.Address));
            others.Advance(FromSeconds(59));
            Assert.True(CookieTests.Accepts(other, hello, CookieTests.Address));
            others.Advance(FromMinutes(5));
            Assert.False(CookieTests.Accepts(other, hello, CookieTests.Address));
        }
    }

    [Fact]
    public void During_a_replacement_both_secrets_are_accepted_and_new_cookies_use_the_previous_one_while_it_is_used()
    {
        bool isUsed = true;
        VirtualClock clock = new(s_start);
        using CookieIssuer old = Mint(clock);
        using CookieIssuer latest = new(KeysOf([.. s_secret.Reverse()], clock));
        using SharedSecret secrets = new([.. s_secret.Reverse()], new PreviousSecret(s_secret, () => isUsed), clock);
        using CookieIssuer both = new(secrets.KeysFor(CookieIssuer.Purpose, FromMinutes(2)));
        byte[] before = CookieTests.WithCookie(both);
        isUsed = false;
        byte[] after = CookieTests.WithCookie(both);

        foreach (byte[] hello in (byte[][])[CookieTests.WithCookie(old), CookieTests.WithCookie(latest), before, after])
        {
            Assert.True(CookieTests.Accepts(both, hello, CookieTests.Address));
        }

        Assert.True(CookieTests.Accepts(old, before, CookieTests.Address));
        Assert.False(CookieTests.Accepts(latest, before, CookieTests.Address));
        Assert.True(CookieTests.Accepts(latest, after, CookieTests.Address));
        Assert.False(CookieTests.Accepts(old, after, CookieTests.Address));

        both.Dispose();
        Assert.False(CookieTests.Accepts(both, before, CookieTests.Address));
    }

    [Fact]
    public void A_cookie_with_any_modified_byte_is_refused()
    {
        VirtualClock clock = new(s_start);
        using CookieIssuer mint = Mint(clock);
        byte[] hello = CookieTests.WithCookie(mint);
        Assert.True(ClientHello.TryRead(hello, out ClientHello read));
        int from = 13 + 12 + read.BeforeCookie.Length + 1;
        for (int i = 0; i < read.Cookie.Length; i++)
        {
            byte[] changed = [.. hello];
            changed[from + i] ^= 1;
            Assert.False(CookieTests.Accepts(mint, changed, CookieTests.Address));
        }
    }

    [Fact]
    public void A_disposed_cookie_issuer_neither_accepts_nor_creates_cookies()
    {
        CookieIssuer mint = Mint(new VirtualClock(s_start));
        byte[] hello = CookieTests.WithCookie(mint);
        mint.Dispose();
        Assert.False(CookieTests.Accepts(mint, hello, CookieTests.Address));
        Assert.True(ClientHello.TryRead(hello, out ClientHello read));
        Assert.False(mint.TryWriteRequest(read, CookieTests.Address, new byte[CookieIssuer.RequestLength]));
    }

    [Fact]
    public async Task A_client_continues_its_handshake_at_another_server_that_shares_the_cookie_secret()
    {
        await using CoapServer one = Server(s_secret);
        await using CoapServer other = Server(s_secret);
        await using CoapServer stranger = Server([.. s_secret.Reverse()]);
        using ServerBench bench = new();
        byte[] first = bench.Connect(1).Sent[0];
        using System.Net.Sockets.Socket socket = new(System.Net.Sockets.AddressFamily.InterNetwork,
            System.Net.Sockets.SocketType.Dgram, System.Net.Sockets.ProtocolType.Udp);
        byte[] request = await AskAsync(socket, await PortOf(one), first);
        Assert.Equal(CookieIssuer.RequestLength, request.Length);
        byte[] second = CookieTests.With(first, request.AsSpan(^16..));

        // ServerHello, and not once more HelloVerifyRequest.
        Assert.Equal(3, (await AskAsync(socket, await PortOf(stranger), second))[13]);
        Assert.Equal(2, (await AskAsync(socket, await PortOf(other), second))[13]);
    }

    private static CookieIssuer Mint(TimeProvider clock) => new(KeysOf(s_secret, clock));

    private static RotatingKeyProvider KeysOf(byte[] secret, TimeProvider clock) =>
        new(secret, CookieIssuer.Purpose, FromMinutes(2), clock);

    private static CoapServer Server(byte[] secret)
    {
        CoapEndpointOptions options = new() { Processes = { SharedSecret = secret } };
        CoapServer server = new(options.UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { "user", ServerBench.Key } } },
        }));
        server.Listen("coaps://127.0.0.1:0");
        return server;
    }

    private static async Task<int> PortOf(CoapServer server)
    {
        await server.StartAsync();
        return server.LocalEndpoints[0].Port;
    }

    // Sent again when the system dropped it; waits for as long as it takes.
    private static async Task<byte[]> AskAsync(System.Net.Sockets.Socket socket, int port, byte[] hello)
    {
        byte[] answer = new byte[2048];
        await socket.SendToAsync(hello, new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, port));
        System.Net.Sockets.SocketReceiveFromResult received = await socket.ReceiveFromAsync(answer,
            new System.Net.IPEndPoint(System.Net.IPAddress.Any, 0)).WaitAsync(FromMinutes(2));
        return answer[..received.ReceivedBytes];
    }
}
