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
    public void A_cookie_holds_at_a_server_whose_clock_differs_for_a_minute_at_least(int ahead)
    {
        for (int second = 0; second < 120; second += 7)
        {
            VirtualClock clock = new(s_start + FromSeconds(second));
            using CookieMint one = Mint(clock);
            VirtualClock others = new(s_start + FromSeconds(second + ahead));
            using CookieMint other = Mint(others);
            byte[] hello = CookieTests.WithCookie(one);
            Assert.True(CookieTests.Accepts(other, hello, CookieTests.Address));
            others.Advance(FromSeconds(59));
            Assert.True(CookieTests.Accepts(other, hello, CookieTests.Address));
            others.Advance(FromMinutes(5));
            Assert.False(CookieTests.Accepts(other, hello, CookieTests.Address));
        }
    }

    [Fact]
    public void While_the_secret_is_replaced_cookies_of_either_are_accepted_and_new_ones_are_what_all_accept()
    {
        bool isUsed = true;
        VirtualClock clock = new(s_start);
        using CookieMint old = Mint(clock);
        using CookieMint latest = new(KeysOf([.. s_secret.Reverse()], clock));
        using SharedSecret secrets = new([.. s_secret.Reverse()], new PreviousSecret(s_secret, () => isUsed), clock);
        using CookieMint both = new(secrets.KeysFor(CookieMint.Purpose, FromMinutes(2)));
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
    public void Any_changed_byte_of_a_cookie_makes_it_none()
    {
        VirtualClock clock = new(s_start);
        using CookieMint mint = Mint(clock);
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
    public void After_the_end_nothing_is_a_cookie_and_none_is_made()
    {
        CookieMint mint = Mint(new VirtualClock(s_start));
        byte[] hello = CookieTests.WithCookie(mint);
        mint.Dispose();
        Assert.False(CookieTests.Accepts(mint, hello, CookieTests.Address));
        Assert.True(ClientHello.TryRead(hello, out ClientHello read));
        Assert.False(mint.TryWriteRequest(read, CookieTests.Address, new byte[CookieMint.RequestLength]));
    }

    [Fact]
    public async Task A_client_whose_second_ClientHello_reaches_another_server_goes_on_with_its_handshake_there()
    {
        await using CoapServer one = Server(s_secret);
        await using CoapServer other = Server(s_secret);
        await using CoapServer stranger = Server([.. s_secret.Reverse()]);
        using ServerBench bench = new();
        byte[] first = bench.Connect(1).Sent[0];
        using System.Net.Sockets.Socket socket = new(System.Net.Sockets.AddressFamily.InterNetwork,
            System.Net.Sockets.SocketType.Dgram, System.Net.Sockets.ProtocolType.Udp);
        byte[] request = await AskAsync(socket, await PortOf(one), first);
        Assert.Equal(CookieMint.RequestLength, request.Length);
        byte[] second = CookieTests.With(first, request.AsSpan(^16..));

        // ServerHello, and not once more HelloVerifyRequest.
        Assert.Equal(3, (await AskAsync(socket, await PortOf(stranger), second))[13]);
        Assert.Equal(2, (await AskAsync(socket, await PortOf(other), second))[13]);
    }

    private static CookieMint Mint(TimeProvider clock) => new(KeysOf(s_secret, clock));

    private static CoapEpochKeys KeysOf(byte[] secret, TimeProvider clock) =>
        new(secret, CookieMint.Purpose, FromMinutes(2), clock);

    private static CoapServer Server(byte[] secret)
    {
        CoapEndpointOptions options = new() { SharedSecret = secret };
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
        return new Uri(server.LocalEndpoints[0]).Port;
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
